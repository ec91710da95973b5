// A filter on any column of the calls: the column, then one of its values with how many calls have it, or a typed one. Values
// are those of the newest calls, so a rare one may have to be typed.
import { type FormEvent, useId, useRef, useState } from 'react';
import type { CallValuesAnswer } from '../../../src/contract/call-values.ts';
import { Icon } from '../components/icon.tsx';
import { formatOutcome } from '../components/outcome.tsx';
import { formatCount } from '../format/format-number.ts';
import type { CallsFilter } from '../paths.ts';
import type { Filter } from '../view/view.ts';

/** A column of the calls that can be filtered: those of the view apply on every page. */
export type ColumnFilter = CallsFilter | Filter;

interface FilterColumn {
  readonly name: ColumnFilter;
  readonly words: string;
  /** Told on the chip; the column's own words unless told. */
  readonly kind?: 'number';
}

/** In the order of the menu. Time is the range in the bar. */
export const FILTER_COLUMNS: readonly FilterColumn[] = [
  { name: 'tool', words: 'Tool' },
  { name: 'server', words: 'Server' },
  { name: 'environment', words: 'Environment' },
  { name: 'version', words: 'Version of the server' },
  { name: 'client', words: 'Client' },
  { name: 'session', words: 'Session' },
  { name: 'plan', words: 'Plan' },
  { name: 'method', words: 'Method' },
  { name: 'outcome', words: 'Outcome' },
  { name: 'fault', words: 'Fault' },
  { name: 'code', words: 'Code' },
  { name: 'message', words: 'Message' },
  { name: 'argument', words: 'Argument' },
  { name: 'minMs', words: 'Took at least, ms', kind: 'number' },
  { name: 'maxMs', words: 'Took at most, ms', kind: 'number' },
  { name: 'protocol', words: 'Protocol' },
  { name: 'transport', words: 'Transport' },
];

interface FilterMenuProps {
  readonly answer: CallValuesAnswer | undefined;
  /** What is set already. */
  readonly currentOf: (name: ColumnFilter) => string | undefined;
  readonly onSet: (name: ColumnFilter, value: string) => void;
}

export function FilterMenu(props: FilterMenuProps) {
  const popover = useRef<HTMLDivElement>(null);
  const id = useId();
  const [name, setName] = useState<ColumnFilter>('tool');
  function set(value: string): void {
    props.onSet(name, value);
    popover.current?.hidePopover();
  }
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
                {column.words}
              </option>
            ))}
          </select>
          <Icon name="down" />
        </label>
        <Values {...props} name={name} set={set} />
      </div>
    </div>
  );
}

interface ValuesProps extends FilterMenuProps {
  readonly name: ColumnFilter;
  readonly set: (value: string) => void;
}

function Values({ answer, currentOf, name, set }: ValuesProps) {
  const column = FILTER_COLUMNS.find((one) => one.name === name);
  const values = offeredOf(answer, name);
  const current = currentOf(name);
  return (
    <>
      <TypedValue key={name} name={column?.words ?? name} isNumber={column?.kind === 'number'} set={set} />
      {values.length > 0 ? (
        <ul className="offered" aria-label="Values">
          {values.map(({ value, count }) => (
            <li key={value}>
              <button type="button" aria-pressed={value === current} onClick={() => set(value)}>
                <span>{name === 'outcome' ? formatOutcome(value) : value}</span>
                <span className="muted">{formatCount(count)}</span>
              </button>
            </li>
          ))}
        </ul>
      ) : null}
      {answer && !answer.isWhole && values.length > 0 ? (
        <p className="muted">Of the newest calls; others can be typed.</p>
      ) : null}
    </>
  );
}

/** What a column offers; messages are those of the patterns. */
function offeredOf(
  answer: CallValuesAnswer | undefined,
  name: ColumnFilter,
): readonly { readonly value: string; readonly count: number }[] {
  if (name !== 'message') return answer?.values.find(({ filter }) => filter === name)?.values ?? [];
  const counts = new Map<string, number>();
  for (const { message, count } of answer?.patterns ?? [])
    if (message) counts.set(message, (counts.get(message) ?? 0) + count);
  return [...counts].map(([value, count]) => ({ value, count }));
}

interface TypedValueProps {
  readonly name: string;
  readonly isNumber: boolean;
  readonly set: (value: string) => void;
}

function TypedValue({ name, isNumber, set }: TypedValueProps) {
  const [value, setValue] = useState('');
  function submit(event: FormEvent): void {
    event.preventDefault();
    if (value.trim()) set(value.trim());
  }
  return (
    <form className="typed" onSubmit={submit}>
      <input
        aria-label={name}
        placeholder={isNumber ? 'milliseconds' : 'exactly'}
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
