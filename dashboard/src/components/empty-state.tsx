// The empty state of a page, with suggestions. Either the filters exclude what the range contains, or the
// range is empty and the last call lies outside it. Two other cases are handled elsewhere: the onboarding
// page when nothing was ever received, and NotCollected for data that was not collected.

import type { ReactNode } from 'react';
import { Link } from 'wouter';
import { type EmptyStateSuggestions, useEmptyStateSuggestions } from '../api/use-empty-state-suggestions.ts';
import { formatAgo } from '../format/format-duration.ts';
import { formatPlural } from '../format/format-number.ts';
import { formatRange } from '../format/format-range.ts';
import { describeFilter } from '../view/filter-entries.ts';
import { useZone } from '../view/preferences.ts';
import { toHourAround } from '../view/prepare-suggestions.ts';
import { useNow } from '../view/use-now.ts';
import { useRangeText } from '../view/use-range-text.ts';
import { usePathWithView } from '../view/use-view.ts';
import { activeFilters, type View } from '../view/view.ts';
import { Icon } from './icon.tsx';

interface EmptyStateProps {
  readonly view: View;
  /** One exact sentence, or a heading and what was searched for. */
  readonly children: ReactNode;
  /** The path of this page without its own filters, if it has any. */
  readonly unfilteredPath?: string | undefined;
}

export function EmptyState({ view, children, unfilteredPath }: EmptyStateProps) {
  const suggestions = useEmptyStateSuggestions(view);
  return (
    <div className="nothing">
      {children}
      {suggestions && suggestions.calls > 0 && unfilteredPath ? (
        <Link href={unfilteredPath} className="button">
          Without the filters of this page: {formatPlural(suggestions.calls, 'tool call')}
        </Link>
      ) : null}
      {suggestions ? <FilterSuggestions suggestions={suggestions} view={view} /> : null}
    </div>
  );
}

/** Describes the filters and the range that have no data: " with client cursor in the last hour". */
export function useViewDescription(view: View): string {
  const range = useRangeText(view);
  const filters = activeFilters(view).map(([name, value]) => ` with ${describeFilter(name, value)}`);
  return `${filters.join(' and')} ${range}`;
}

interface SuggestionsProps {
  readonly suggestions: EmptyStateSuggestions;
  readonly view: View;
}

function FilterSuggestions({ suggestions, view }: SuggestionsProps) {
  const toPath = usePathWithView();
  const { filterRemovals } = suggestions;
  return (
    <>
      {filterRemovals.length > 0 ? (
        <ul className="ways" aria-label="Filters to remove">
          {filterRemovals.map(({ removed, view: next, calls }) => (
            <li key={JSON.stringify(removed)}>
              <Link href={toPath(next)} className="button chip">
                <Icon name="close" />
                Remove {removed.map(([name, value]) => describeFilter(name, value)).join(', ')}:{' '}
                {formatPlural(calls, 'call')}
              </Link>
            </li>
          ))}
        </ul>
      ) : null}
      <RangeSuggestions suggestions={suggestions} view={view} />
    </>
  );
}

function RangeSuggestions({ suggestions: { lastCallAt, widerRange }, view }: SuggestionsProps) {
  const toPath = usePathWithView();
  const nowMs = useNow(60_000);
  const zone = useZone();
  if (lastCallAt === null) return null;
  const atMs = Date.parse(lastCallAt);
  return (
    <p className="ways">
      {widerRange ? (
        <Link href={toPath(widerRange.view)} className="button">
          {formatPlural(widerRange.calls, 'call')} {formatRange(widerRange.view, { nowMs, zone })}
        </Link>
      ) : null}
      <Link href={toPath(toHourAround(view, atMs))} className="button">
        Jump to the last call, {formatAgo(atMs, nowMs)}
      </Link>
    </p>
  );
}
