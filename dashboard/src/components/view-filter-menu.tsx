// Several values of a filter of every page, or values to exclude, which the selects of the filter bar cannot express.
import { useId, useRef, useState } from 'react';
import type { Filter } from '../../../src/contract/query.ts';
import type { ServersResponse } from '../../../src/contract/tools.ts';
import { FILTER_CONTROLS, FILTER_NAMES } from '../view/filter-controls.ts';
import { type View, withFilter } from '../view/view.ts';
import { FilterValueList } from './filter-value-list.tsx';
import { Icon } from './icon.tsx';
import { prepareFilterOptions } from './prepare-filter-options.ts';

interface ViewFilterMenuProps {
  readonly view: View;
  readonly setView: (view: View) => void;
  readonly servers: ServersResponse | undefined;
}

const LISTED_FILTERS = FILTER_NAMES.filter((name) => FILTER_CONTROLS[name].listValues);

export function ViewFilterMenu({ view, setView, servers }: ViewFilterMenuProps) {
  const popover = useRef<HTMLDivElement>(null);
  const id = useId();
  const [name, setName] = useState<Filter>('tool');
  const values = prepareFilterOptions(servers, { name, view });
  return (
    <div className="menu">
      <button type="button" className="button bare" popoverTarget={id} title="Add or exclude values">
        <Icon name="filter" label="Add or exclude values" />
      </button>
      <div id={id} popover="auto" ref={popover} className="popover calls-menu">
        <label className="select">
          <span className="visually-hidden">Filter to set</span>
          <select
            value={name}
            onChange={({ target }) =>
              setName(LISTED_FILTERS.find((filter) => filter === target.value) ?? 'tool')
            }
          >
            {LISTED_FILTERS.map((filter) => (
              <option key={filter} value={filter}>
                {FILTER_CONTROLS[filter].label}
              </option>
            ))}
          </select>
          <Icon name="down" />
        </label>
        <FilterValueList
          values={values.map((value) => ({ value }))}
          filter={view[name]}
          onChange={(filter) => setView(withFilter(view, [name, filter]))}
          onDone={() => popover.current?.hidePopover()}
        />
        {values.length === 0 ? <p className="muted">No values in this range.</p> : null}
      </div>
    </div>
  );
}
