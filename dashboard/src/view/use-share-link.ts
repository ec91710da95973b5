// Links to share the current view. They include the automatic range and, for readers who prefer it, UTC, both
// of which the URL may omit. Local time is not added, because it differs between readers.
import { parseTime, type TimeRange } from '../../../src/contract/time-range.ts';
import { useZone } from './preferences.ts';
import { usePathWithView, useView } from './use-view.ts';
import { type View, withRange, withZone } from './view.ts';

/** A link to the page; relative times stay relative, so it shows current data when opened. */
export function useShareLink(): string {
  const view = useView();
  return useLinkWithRange()(view);
}

/**
 * A link to one chart as it is now, with relative times replaced by absolute ones.
 *
 * @param id of the chart
 * @param range of its data; defaults to the range of the page when the link is created
 */
export function useChartLink(id: string, range: TimeRange | undefined): () => string {
  const view = useView();
  const toAddress = useLinkWithRange();
  return () => `${toAddress(toAbsoluteTimes(view, range))}#${id}`;
}

function useLinkWithRange(): (range: Pick<View, 'from' | 'to'>) => string {
  const view = useView();
  const zone = useZone();
  const toPath = usePathWithView();
  return (range) => {
    const linkedView = withRange(view, range);
    return window.location.origin + toPath(zone === 'utc' ? withZone(linkedView, zone) : linkedView);
  };
}

/** An end that cannot be parsed is left unchanged. */
function toAbsoluteTimes({ from, to }: View, range: TimeRange | undefined): Pick<View, 'from' | 'to'> {
  const nowMs = Date.now();
  const fix = (text: string, ms = parseTime(text, nowMs)): string =>
    ms === undefined ? text : new Date(ms).toISOString();
  return { from: fix(from, range?.fromMs), to: fix(to, range?.toMs) };
}
