// Nothing in this range, or nothing that the filters let through: two states that need two ways out.
import { useLocation } from 'wouter';
import { usePathname } from 'wouter/use-browser-location';
import { formatRange } from '../../format/format-range.ts';
import { useZone } from '../../view/preferences.ts';
import { useNow } from '../../view/use-now.ts';
import { activeFilters, rangeOf, type View, withRange, writeView } from '../../view/view.ts';

interface EmptyRangeProps {
  /** What there is none of: "tool", "session". */
  readonly what: string;
  readonly view: View;
}

export function EmptyRange({ what, view }: EmptyRangeProps) {
  const zone = useZone();
  const nowMs = useNow(60_000);
  const pathname = usePathname();
  const [, navigate] = useLocation();
  const filters = activeFilters(view);
  const words = formatRange(view, { nowMs, zone });
  const open = (next: View): void => navigate(`${pathname}?${new URLSearchParams(writeView(next))}`);
  return (
    <>
      <p>
        {filters.length === 0
          ? `No ${what} was called ${words}.`
          : `No ${what} was called with ${filters.map(([name, value]) => `${name} ${value}`).join(' and ')} ${words}.`}
      </p>
      {filters.length > 0 ? (
        <button type="button" className="button" onClick={() => open(rangeOf(view))}>
          Show without filters
        </button>
      ) : null}
      <button
        type="button"
        className="button"
        onClick={() => open(withRange(view, { from: 'now-30d', to: 'now' }))}
      >
        Show the last 30 days
      </button>
    </>
  );
}
