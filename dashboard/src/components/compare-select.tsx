// Selects the previous period. Shown only on the overview, the only page that compares values.
import { COMPARISONS } from '../../../src/contract/query.ts';
import { type View, withCompare } from '../view/view.ts';
import { Icon } from './icon.tsx';

const COMPARE_LABELS = { prev: 'Before', week: 'Same weekdays' } as const;

interface CompareSelectProps {
  readonly view: View;
  readonly setView: (view: View) => void;
}

export function CompareSelect({ view, setView }: CompareSelectProps) {
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
