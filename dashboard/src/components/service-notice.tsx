// Shown on every page while queries are not answered, with the time since when, and after that until the data
// from before has been replaced.
import { useIsFetching } from '@tanstack/react-query';
import { useEffect } from 'react';
import { formatClock } from '../format/format-time.ts';
import { useZone } from '../view/preferences.ts';
import { describeOutage } from '../view/prepare-staleness.ts';
import { useHasLasted, useServiceStatus } from '../view/use-staleness.ts';
import { Icon } from './icon.tsx';

/** Most pages have updated sooner, and a notice for a moment would move the page. */
const SHOW_UPDATING_AFTER_MS = 1_000;

export function ServiceNotice() {
  const { outage, outdatedBeforeMs } = useServiceStatus();
  const isUpdating = useIsUpdating(outdatedBeforeMs);
  const isOutdated = outage !== undefined || isUpdating;
  const showsUpdating = useHasLasted(isUpdating && outage === undefined, SHOW_UPDATING_AFTER_MS);
  const zone = useZone();
  // In CSS, nothing on an outdated page is green.
  useEffect(() => {
    document.documentElement.toggleAttribute('data-outdated', isOutdated);
  }, [isOutdated]);
  return (
    <div role="status" className="contents">
      {outage ? (
        <p className="service-notice">
          <Icon name="server" />
          <span>
            <strong>{describeOutage(outage, (ms) => formatClock(ms, zone))}</strong> The data shown may be
            stale. Retrying every two seconds.
          </span>
        </p>
      ) : null}
      {showsUpdating ? (
        <p className="service-notice">
          <Icon name="clock" />
          <span>Updating data from before {formatClock(outdatedBeforeMs, zone)}.</span>
        </p>
      ) : null}
    </div>
  );
}

/** Whether data from before a time is being refetched. */
function useIsUpdating(beforeMs: number): boolean {
  const outdated = useIsFetching({
    predicate: ({ state }) => state.dataUpdatedAt > 0 && state.dataUpdatedAt < beforeMs,
  });
  return outdated > 0;
}
