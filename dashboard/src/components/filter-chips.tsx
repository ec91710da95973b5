// One removable chip for each value of a filter.
import type { FilterValue } from '../../../src/contract/filter-value.ts';
import { listFilterEntries, removeEntry } from '../view/filter-entries.ts';
import { Icon } from './icon.tsx';

interface FilterChipsProps {
  readonly label: string;
  readonly filter: FilterValue | undefined;
  readonly onChange: (filter: FilterValue | undefined) => void;
  readonly format?: (value: string) => string;
}

export function FilterChips({ label, filter, onChange, format = String }: FilterChipsProps) {
  return listFilterEntries(label, filter).map(({ value, isExcluded }) => {
    const name = isExcluded ? `${label} not` : label;
    return (
      <button
        key={`${isExcluded} ${value}`}
        type="button"
        className="button chip"
        onClick={() => onChange(removeEntry(filter, value))}
        aria-label={`Remove filter ${name} ${value || 'none'}`}
      >
        {name} <code title={value}>{format(value) || 'none'}</code> <Icon name="close" />
      </button>
    );
  });
}
