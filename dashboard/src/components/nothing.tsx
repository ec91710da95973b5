// An empty page: which of two nothings it is, and the way out of each. Either the filters exclude what the range holds,
// or the range holds nothing and the last call lies elsewhere. The two others have places of their own: nothing ever
// received is the onboarding page, and what is not collected says so where it would stand.
import type { ReactNode } from 'react';
import { Link } from 'wouter';
import { usePathname, useSearch } from 'wouter/use-browser-location';
import { useWaysOut, type WaysOut } from '../api/ways-out.ts';
import { formatAgo } from '../format/format-duration.ts';
import { formatNoun } from '../format/format-number.ts';
import { formatRange } from '../format/format-range.ts';
import { useZone } from '../view/preferences.ts';
import { hourAround } from '../view/prepare-ways-out.ts';
import { useNow } from '../view/use-now.ts';
import { activeFilters, replaceView, type View } from '../view/view.ts';
import { Icon } from './icon.tsx';

interface NothingProps {
  readonly view: View;
  /** One exact sentence, or a heading and what was looked for. */
  readonly children: ReactNode;
  /** Where this page is without its own filters, if it has any. */
  readonly unfiltered?: string | undefined;
}

export function Nothing({ view, children, unfiltered }: NothingProps) {
  const ways = useWaysOut(view);
  return (
    <div className="nothing">
      {children}
      {ways && ways.calls > 0 && unfiltered ? (
        <Link href={unfiltered} className="button">
          Without the filters of this page: {formatNoun(ways.calls, 'tool call')}
        </Link>
      ) : null}
      {ways ? <Ways ways={ways} view={view} /> : null}
    </div>
  );
}

/** Which filters and which range there is nothing with: " with client cursor in the last hour". */
export function useNothingWords(view: View): string {
  const zone = useZone();
  const nowMs = useNow(60_000);
  const filters = activeFilters(view).map(([name, value]) => ` with ${name} ${value}`);
  return `${filters.join(' and')} ${formatRange(view, { nowMs, zone })}`;
}

function Ways({ ways, view }: { readonly ways: WaysOut; readonly view: View }) {
  const toPath = useSamePage();
  const { filtersLess } = ways;
  return (
    <>
      {filtersLess.length > 0 ? (
        <ul className="ways" aria-label="Filters to remove">
          {filtersLess.map(({ removed, view: next, calls }) => (
            <li key={removed.join(' ')}>
              <Link href={toPath(next)} className="button chip">
                <Icon name="close" />
                Remove {removed.map((pair) => pair.join('=')).join(', ')}: {formatNoun(calls, 'call')}
              </Link>
            </li>
          ))}
        </ul>
      ) : null}
      <Elsewhere ways={ways} view={view} />
    </>
  );
}

function Elsewhere({ ways: { lastCallAt, wider }, view }: { readonly ways: WaysOut; readonly view: View }) {
  const toPath = useSamePage();
  const nowMs = useNow(60_000);
  const zone = useZone();
  if (lastCallAt === null) return null;
  const atMs = Date.parse(lastCallAt);
  return (
    <p className="ways">
      {wider ? (
        <Link href={toPath(wider.view)} className="button">
          {formatNoun(wider.calls, 'call')} {formatRange(wider.view, { nowMs, zone })}
        </Link>
      ) : null}
      <Link href={toPath(hourAround(view, atMs))} className="button">
        Jump to the last call, {formatAgo(atMs, nowMs)}
      </Link>
    </p>
  );
}

/** This page with another view; what else is in the address stays. */
function useSamePage(): (view: View) => string {
  const pathname = usePathname();
  const search = useSearch();
  return (view) => {
    const text = replaceView(search, view);
    return text ? `${pathname}?${text}` : pathname;
  };
}
