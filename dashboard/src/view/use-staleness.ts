// Staleness of query results in components.
import { useContext, useEffect, useState, useSyncExternalStore } from 'react';
import type { ServiceStatus } from '../api/service-monitor.ts';
import { formatClock } from '../format/format-time.ts';
import { LiveContext, ServiceMonitorContext } from '../live-context.ts';
import { useZone } from './preferences.ts';
import { describeStaleness, type ResultAge } from './prepare-staleness.ts';

/** Together with the shortest refresh interval below the ten seconds after which stale data must be labelled. */
const OVERDUE_AFTER_MS = 8_000;

export function useServiceStatus(): ServiceStatus {
  const monitor = useContext(ServiceMonitorContext);
  return useSyncExternalStore(monitor.subscribe, monitor.status);
}

/** Whether a state has lasted for a time; false as soon as it ends. */
export function useHasLasted(isActive: boolean, afterMs: number): boolean {
  const [hasLasted, setHasLasted] = useState(false);
  useEffect(() => {
    setHasLasted(false);
    if (!isActive) return undefined;
    const timer = setTimeout(() => setHasLasted(true), afterMs);
    return () => clearTimeout(timer);
  }, [isActive, afterMs]);
  return hasLasted && isActive;
}

/** Whether a refetch has been running for eight seconds. */
export function useIsOverdue({ isFetching }: { readonly isFetching: boolean }): boolean {
  return useHasLasted(isFetching, OVERDUE_AFTER_MS);
}

/** Why the data of a query may be out of date, as a sentence; undefined if it is current. */
export function useStaleness(result: ResultAge & { readonly isFetching: boolean }): string | undefined {
  const live = useContext(LiveContext);
  const state = useSyncExternalStore(live.subscribe, live.state);
  const status = useServiceStatus();
  const isOverdue = useIsOverdue(result);
  const zone = useZone();
  const formatTime = (ms: number): string => formatClock(ms, zone);
  return describeStaleness(result, { status, live: state, isOverdue, formatTime });
}
