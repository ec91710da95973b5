// The values of a filter to choose from. A value replaces the others, is added to them, or is excluded.
import { type FilterValue, toFilterChoice } from '../../../src/contract/filter-value.ts';
import { formatCount } from '../format/format-number.ts';
import { addEntry, removeEntry } from '../view/filter-entries.ts';

export interface OfferedValue {
  readonly value: string;
  readonly count?: number;
}

interface FilterValueListProps {
  readonly values: readonly OfferedValue[];
  readonly filter: FilterValue | undefined;
  readonly onChange: (filter: FilterValue | undefined) => void;
  /** Follows a choice of a single value, after which there is nothing more to choose. */
  readonly onDone: () => void;
  readonly format?: (value: string) => string;
}

export function FilterValueList({ values, format = String, ...rest }: FilterValueListProps) {
  if (values.length === 0) return null;
  return (
    <ul className="offered" aria-label="Values">
      {values.map((offered) => (
        <OfferedRow key={offered.value} offered={offered} text={format(offered.value)} {...rest} />
      ))}
    </ul>
  );
}

interface OfferedRowProps extends Pick<FilterValueListProps, 'filter' | 'onChange' | 'onDone'> {
  readonly offered: OfferedValue;
  readonly text: string;
}

function OfferedRow({ offered: { value, count }, text, filter, onChange, onDone }: OfferedRowProps) {
  const { only, except } = toFilterChoice(filter);
  const toggle = (isExcluded: boolean, isSet: boolean): void =>
    onChange(isSet ? removeEntry(filter, value) : addEntry(filter, { value, isExcluded }));
  const isOnly = only.includes(value);
  const isExcluded = except.includes(value);
  return (
    <li>
      <button
        type="button"
        aria-pressed={isOnly}
        onClick={() => {
          onChange(value);
          onDone();
        }}
      >
        <span>{text}</span>
        {count === undefined ? null : <span className="muted">{formatCount(count)}</span>}
      </button>
      <button
        type="button"
        className="entry"
        aria-pressed={isOnly}
        aria-label={`Add ${text}`}
        onClick={() => toggle(false, isOnly)}
      >
        Add
      </button>
      <button
        type="button"
        className="entry"
        aria-pressed={isExcluded}
        aria-label={`Exclude ${text}`}
        onClick={() => toggle(true, isExcluded)}
      >
        Exclude
      </button>
    </li>
  );
}
