// Shown on every page while the service is unreachable, with the time since when.
import { useContext, useSyncExternalStore } from 'react';
import { formatClock } from '../format/format-time.ts';
import { ServiceMonitorContext } from '../live-context.ts';
import { useZone } from '../view/preferences.ts';
import { Icon } from './icon.tsx';

export function ServiceNotice() {
  const watch = useContext(ServiceMonitorContext);
  const sinceMs = useSyncExternalStore(watch.subscribe, watch.unreachableSinceMs);
  const zone = useZone();
  return (
    <div role="status" className="contents">
      {sinceMs === undefined ? null : (
        <p className="service-notice">
          <Icon name="server" />
          <span>
            <strong>No response from the service since {formatClock(sinceMs, zone)}.</strong> The data shown
            may be stale. Retrying every two seconds.
          </span>
        </p>
      )}
    </div>
  );
}
