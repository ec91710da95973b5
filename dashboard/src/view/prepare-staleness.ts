// Whether the data of a query may be out of date, and why. A page must not present old data as current for more
// than ten seconds, whatever failed: service, store, stream, network, or a browser that slept.
import type { LiveState } from '../api/live-refresh.ts';
import type { Outage, OutageKind, ServiceStatus } from '../api/service-monitor.ts';

/** The part of a query result that tells its age. */
export interface ResultAge {
  /** When the response arrived, in epoch milliseconds; 0 before the first one. */
  readonly dataUpdatedAt: number;
  readonly error: Error | null;
}

export interface StalenessFacts {
  readonly status: ServiceStatus;
  readonly live: LiveState;
  /** Whether a refetch has been running for too long. */
  readonly isOverdue: boolean;
  /** Formats epoch milliseconds as a time of day. */
  readonly formatTime: (ms: number) => string;
}

/** Why the data may be out of date, as a sentence; undefined if it is current. */
export function describeStaleness(
  { dataUpdatedAt, error }: ResultAge,
  { status, live, isOverdue, formatTime }: StalenessFacts,
): string | undefined {
  if (status.outage) return describeOutage(status.outage, formatTime);
  if (error) return error.message;
  if (dataUpdatedAt > 0 && dataUpdatedAt < status.outdatedBeforeMs) return 'Updating.';
  if (live === 'paused') return 'Updates are paused.';
  return isOverdue ? 'The next update is overdue.' : undefined;
}

const OUTAGE_SENTENCES: Readonly<Record<OutageKind, (time: string) => string>> = {
  no_response: (time) => `No response from the service since ${time}.`,
  starting: (time) => `The service is starting; no new data since ${time}.`,
  draining: (time) => `The service is shutting down; no new data since ${time}.`,
  store_unreachable: (time) => `The store has not responded since ${time}.`,
};

export function describeOutage({ kind, sinceMs }: Outage, formatTime: (ms: number) => string): string {
  return OUTAGE_SENTENCES[kind](formatTime(sinceMs));
}
