// The address of this view for somebody else: with the range that was chosen, and with UTC where the reader prefers it,
// both of which the address itself may leave out. Local time is everybody's own.
import { usePathname, useSearch } from 'wouter/use-browser-location';
import { parseTime, type TimeRange } from '../../../src/contract/time-range.ts';
import { useZone } from './preferences.ts';
import { useView } from './use-view.ts';
import { replaceView, type View, withRange, withZone } from './view.ts';

/** Relative times stay relative: it shows what is new by then. */
export function useShareLink(): string {
  const view = useView();
  return useLinkWithRange()(view);
}

/**
 * A link to one drawing of the page as it stands: relative times become the times of its figures.
 *
 * @param id of the drawing
 * @param range of its figures; left out, the range of the page at the moment of asking
 */
export function useChartLink(id: string, range: TimeRange | undefined): () => string {
  const view = useView();
  const toAddress = useLinkWithRange();
  return () => `${toAddress(toAbsoluteTimes(view, range))}#${id}`;
}

function useLinkWithRange(): (range: Pick<View, 'from' | 'to'>) => string {
  const view = useView();
  const zone = useZone();
  const pathname = usePathname();
  const search = useSearch();
  return (range) => {
    const linkedView = withRange(view, range);
    const text = replaceView(search, zone === 'utc' ? withZone(linkedView, zone) : linkedView);
    return `${window.location.origin}${pathname}?${text}`;
  };
}

/** An end that nobody can read stays as it is. */
function toAbsoluteTimes({ from, to }: View, range: TimeRange | undefined): Pick<View, 'from' | 'to'> {
  const nowMs = Date.now();
  const fix = (text: string, ms = parseTime(text, nowMs)): string =>
    ms === undefined ? text : new Date(ms).toISOString();
  return { from: fix(from, range?.fromMs), to: fix(to, range?.toMs) };
}
