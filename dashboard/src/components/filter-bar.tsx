// The bar at the top of a page: filters, time range, comparison, and live updates.

import { useContext, useState, useSyncExternalStore } from 'react';
import { usePathname } from 'wouter/use-browser-location';
import type { FilterValue } from '../../../src/contract/filter-value.ts';
import { COMPARISONS, type Filter } from '../../../src/contract/query.ts';
import type { LiveState } from '../api/live-refresh.ts';
import { useResource } from '../api/queries.ts';
import { LiveContext } from '../live-context.ts';
import { FILTER_CONTROLS, FILTER_NAMES } from '../view/filter-controls.ts';
import { listFilterEntries } from '../view/filter-entries.ts';
import { openPalette } from '../view/open-palette.ts';
import { useShareLink } from '../view/use-share-link.ts';
import { useSetView, useView } from '../view/use-view.ts';
import { activeFilters, type View, withCompare, withFilter, withoutFilters } from '../view/view.ts';
import { CopyButton } from './copy-button.tsx';
import { FilterChips } from './filter-chips.tsx';
import { Icon } from './icon.tsx';
import { prepareFilterOptions } from './prepare-filter-options.ts';
import { RangePicker } from './range-picker.tsx';
import { ViewFilterMenu } from './view-filter-menu.tsx';

export function FilterBar() {
  const view = useView();
  const setView = useSetView();
  const pathname = usePathname();
  const [open, setOpen] = useState(false);
  const active = activeFilters(view);
  return (
    <search className="bar" aria-label="Filters and time range">
      <button
        type="button"
        className="button filters-button"
        aria-expanded={open}
        aria-controls="filters"
        onClick={() => setOpen(!open)}
      >
        <Icon name="filter" />
        <span>Filters{active.length > 0 ? ` (${active.length})` : ''}</span>
      </button>
      <button
        type="button"
        className="button search-button"
        aria-label="Search pages, servers, tools and sessions"
        onClick={() => openPalette()}
      >
        <Icon name="search" />
      </button>
      <div className="filters" id="filters" data-open={open || undefined}>
        <FilterSelects view={view} setView={setView} />
        {active
          .filter(([name, value]) => !FILTER_CONTROLS[name].listValues || typeof value !== 'string')
          .map(([name, value]) => (
            <FilterChips
              key={name}
              label={FILTER_CONTROLS[name].label}
              filter={value}
              onChange={(next) => setView(withFilter(view, [name, next]))}
            />
          ))}
        {active.length > 0 ? (
          <button type="button" className="button bare" onClick={() => setView(withoutFilters(view))}>
            Clear
          </button>
        ) : null}
      </div>
      <RangePicker view={view} setView={setView} />
      {pathname === '/' ? <CompareSelect view={view} setView={setView} /> : null}
      <CopyButton text={useShareLink()} what="link to this view" />
      <LiveButton />
    </search>
  );
}

interface ViewControlProps {
  readonly view: View;
  readonly setView: (view: View) => void;
}

function FilterSelects({ view, setView }: ViewControlProps) {
  const servers = useResource('servers', { from: view.from, to: view.to });
  return (
    <>
      {FILTER_NAMES.filter((name) => FILTER_CONTROLS[name].listValues).map((name) => (
        <FilterSelect
          key={name}
          name={name}
          filter={view[name]}
          choices={prepareFilterOptions(servers.data, { name, view })}
          onChange={(value) => setView(withFilter(view, [name, value]))}
        />
      ))}
      <ViewFilterMenu view={view} setView={setView} servers={servers.data} />
    </>
  );
}

interface FilterSelectProps {
  readonly name: Filter;
  readonly filter: FilterValue | undefined;
  readonly choices: readonly string[];
  readonly onChange: (value: string | undefined) => void;
}

/** Several values have chips; here they are an option that only says so. */
function FilterSelect({ name, filter, choices, onChange }: FilterSelectProps) {
  const { label } = FILTER_CONTROLS[name];
  const isSeveral = filter !== undefined && typeof filter !== 'string';
  return (
    <label className="select" data-set={filter ? true : undefined}>
      <span className="visually-hidden">{label}</span>
      <select
        value={isSeveral ? SEVERAL : (filter ?? '')}
        onChange={({ target }) => onChange(target.value || undefined)}
      >
        <option value="">{`Any ${label.toLowerCase()}`}</option>
        {isSeveral ? (
          <option
            value={SEVERAL}
            disabled
          >{`${label}: ${listFilterEntries(name, filter).length} set`}</option>
        ) : null}
        {choices.map((choice) => (
          <option key={choice} value={choice}>
            {choice}
          </option>
        ))}
      </select>
      <Icon name="down" />
    </label>
  );
}

/** No name has a line break. */
const SEVERAL = '\n';

const COMPARE_LABELS = { prev: 'Previous period', week: 'Same days last week' } as const;

/** Shown only on the overview, the only page that compares values. */
function CompareSelect({ view, setView }: ViewControlProps) {
  return (
    <label className="select compare" data-set={view.compare ? true : undefined}>
      <span className="visually-hidden">Compare with</span>
      <select
        value={view.compare ?? ''}
        onChange={({ target }) =>
          setView(
            withCompare(
              view,
              COMPARISONS.find((name) => name === target.value),
            ),
          )
        }
      >
        <option value="">Compare</option>
        {COMPARISONS.map((name) => (
          <option key={name} value={name}>
            {COMPARE_LABELS[name]}
          </option>
        ))}
      </select>
      <Icon name="down" />
    </label>
  );
}

const LIVE_STATE_LABELS: Readonly<Record<LiveState, { readonly word: string; readonly title: string }>> = {
  connecting: { word: 'Connecting', title: 'Connecting to the service. Press to pause.' },
  live: {
    word: 'Live',
    title: 'New calls appear as they arrive; panels that take long to read follow later. Press to pause.',
  },
  polling: {
    word: 'Reconnecting…',
    title: 'No live updates; refreshing every five seconds. Press to pause.',
  },
  silent: {
    word: 'Offline',
    title: 'The service does not respond. Retrying every two seconds. Press to pause.',
  },
  paused: { word: 'Paused', title: 'Updates are paused. Press to resume.' },
};

/** Shows whether live updates are on, and toggles them. */
function LiveButton() {
  const live = useContext(LiveContext);
  const state = useSyncExternalStore(live.subscribe, live.state);
  const { word, title } = LIVE_STATE_LABELS[state];
  const paused = state === 'paused';
  return (
    <button
      type="button"
      className="button live"
      data-state={state}
      aria-pressed={!paused}
      title={title}
      onClick={() => (paused ? live.start() : live.stop())}
    >
      {paused ? <Icon name="play" /> : <i className="pulse" aria-hidden="true" />}
      <span>{word}</span>
    </button>
  );
}
