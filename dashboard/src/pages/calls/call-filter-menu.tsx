// Adds a filter on any column of the calls: select the column, then one of its values with its call count, or
// type a value. The offered values come from the newest calls, so a rare value may have to be typed.
import { type FormEvent, useId, useRef, useState } from 'react';
import type { CallValuesResponse } from '../../../../src/contract/call-values.ts';
import type { FilterValue } from '../../../../src/contract/filter-value.ts';
import { FilterValueList, type OfferedValue } from '../../components/filter-value-list.tsx';
import { Icon } from '../../components/icon.tsx';
import { formatOutcome } from '../../components/outcome-badge.tsx';
import { type ColumnFilter, FILTER_COLUMNS } from './column-filter.ts';

interface CallFilterMenuProps {
  readonly response: CallValuesResponse | undefined;
  readonly filterValue: (name: ColumnFilter) => FilterValue | undefined;
  readonly onSet: (name: ColumnFilter, value: FilterValue | undefined) => void;
}

export function CallFilterMenu(props: CallFilterMenuProps) {
  const popover = useRef<HTMLDivElement>(null);
  const id = useId();
  const [name, setName] = useState<ColumnFilter>('tool');
  return (
    <div className="menu">
      <button type="button" className="button" popoverTarget={id}>
        <Icon name="filter" /> Filter
      </button>
      <div id={id} popover="auto" ref={popover} className="popover calls-menu">
        <label className="select">
          <span className="visually-hidden">Column</span>
          <select
            value={name}
            onChange={(event) =>
              setName(FILTER_COLUMNS.find((column) => column.name === event.target.value)?.name ?? 'tool')
            }
          >
            {FILTER_COLUMNS.map((column) => (
              <option key={column.name} value={column.name}>
                {column.label}
              </option>
            ))}
          </select>
          <Icon name="down" />
        </label>
        <FilterValues {...props} name={name} onDone={() => popover.current?.hidePopover()} />
      </div>
    </div>
  );
}

interface FilterValuesProps extends CallFilterMenuProps {
  readonly name: ColumnFilter;
  readonly onDone: () => void;
}

function FilterValues({ response, filterValue, name, onSet, onDone }: FilterValuesProps) {
  const column = FILTER_COLUMNS.find((one) => one.name === name);
  const values = findOfferedValues(response, name);
  return (
    <>
      <CustomValueForm
        key={name}
        name={column?.label ?? name}
        isNumber={column?.kind === 'number'}
        set={(value) => {
          onSet(name, value);
          onDone();
        }}
      />
      <FilterValueList
        values={values}
        filter={filterValue(name)}
        onChange={(filter) => onSet(name, filter)}
        onDone={onDone}
        format={name === 'outcome' || name === 'guard' ? formatOutcome : String}
      />
      {response && !response.isWhole && values.length > 0 ? (
        <p className="muted">Values of the newest calls; type any other value.</p>
      ) : null}
    </>
  );
}

/** For messages, the values are those of the error patterns. */
function findOfferedValues(
  response: CallValuesResponse | undefined,
  name: ColumnFilter,
): readonly OfferedValue[] {
  if (name !== 'message') return response?.values.find(({ filter }) => filter === name)?.values ?? [];
  const counts = new Map<string, number>();
  for (const { message, count } of response?.patterns ?? [])
    if (message) counts.set(message, (counts.get(message) ?? 0) + count);
  return [...counts].map(([value, count]) => ({ value, count }));
}

interface CustomValueFormProps {
  readonly name: string;
  readonly isNumber: boolean;
  readonly set: (value: string) => void;
}

function CustomValueForm({ name, isNumber, set }: CustomValueFormProps) {
  const [value, setValue] = useState('');
  function submit(event: FormEvent): void {
    event.preventDefault();
    if (value.trim()) set(value.trim());
  }
  return (
    <form className="typed" onSubmit={submit}>
      <input
        aria-label={name}
        placeholder={isNumber ? 'milliseconds' : 'exact value'}
        inputMode={isNumber ? 'decimal' : 'text'}
        value={value}
        spellCheck={false}
        onChange={(event) => setValue(event.target.value)}
      />
      <button type="submit" className="button">
        Set
      </button>
    </form>
  );
}
