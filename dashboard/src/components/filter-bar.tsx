// The bar at the top of a page: filters, time range, comparison, and live updates.
import { useState } from 'react';
import { usePathname } from 'wouter/use-browser-location';
import { useServers } from '../api/queries.ts';
import { useSetView } from '../view/use-set-view.ts';
import { useShareLink } from '../view/use-share-link.ts';
import { useView } from '../view/use-view.ts';
import { activeFilters, type Filter, type View, withFilter, withoutFilters } from '../view/view.ts';
import { CompareSelect } from './compare-select.tsx';
import { CopyButton } from './copy-button.tsx';
import { Icon } from './icon.tsx';
import { LiveButton } from './live-button.tsx';
import { prepareFilterOptions } from './prepare-filter-options.ts';
import { RangePicker } from './range-picker.tsx';

/** Filters with a select; the others are set by links and shown as chips. */
const LISTED_FILTERS = ['server', 'environment', 'version', 'tool', 'client'] as const;

const FILTER_LABELS: Readonly<Record<Filter, string>> = {
  server: 'Server',
  environment: 'Environment',
  tool: 'Tool',
  client: 'Client',
  version: 'Version',
  plan: 'Plan',
};

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
      <div className="filters" id="filters" data-open={open || undefined}>
        <FilterSelects view={view} setView={setView} />
        {active
          .filter(([name]) => !LISTED_FILTERS.some((listed) => listed === name))
          .map(([name, value]) => (
            <button
              key={name}
              type="button"
              className="button chip"
              onClick={() => setView(withFilter(view, [name, undefined]))}
              aria-label={`Remove filter ${name} ${value}`}
            >
              {FILTER_LABELS[name]} {value} <Icon name="close" />
            </button>
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

function FilterSelects({ view, setView }: { readonly view: View; readonly setView: (view: View) => void }) {
  const servers = useServers(view);
  return LISTED_FILTERS.map((name) => {
    const choices = prepareFilterOptions(servers.data, { name, view });
    return (
      <label key={name} className="select" data-set={view[name] ? true : undefined}>
        <span className="visually-hidden">{FILTER_LABELS[name]}</span>
        <select
          value={view[name] ?? ''}
          onChange={(event) => setView(withFilter(view, [name, event.target.value || undefined]))}
        >
          <option value="">{`Any ${name}`}</option>
          {choices.map((choice) => (
            <option key={choice} value={choice}>
              {choice}
            </option>
          ))}
        </select>
        <Icon name="down" />
      </label>
    );
  });
}
