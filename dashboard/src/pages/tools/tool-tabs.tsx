// The questions that the tools page answers, one tab each; the address holds which.
import { Link } from 'wouter';
import { formatCount } from '../../format/format-number.ts';
import { type ToolTab, toolsPath } from '../../paths.ts';
import type { View } from '../../view/view.ts';

const TABS: readonly (readonly [tab: ToolTab | undefined, name: string])[] = [
  [undefined, 'All'],
  ['failing', 'Failing'],
  ['slow', 'Slow'],
  ['expensive', 'Expensive'],
  ['never', 'Never called'],
  ['removed', 'Removed'],
  ['missing', 'Asked for, missing'],
  ['advice', 'Advice'],
];

interface ToolTabsProps {
  readonly view: View;
  readonly tab: ToolTab | undefined;
  /** What stands on each; absent until it is known. */
  readonly counts: Readonly<Partial<Record<ToolTab | 'all', number | undefined>>>;
}

export function ToolTabs({ view, tab, counts }: ToolTabsProps) {
  return (
    <nav className="tabs" aria-label="Which tools">
      {TABS.map(([own, name]) => {
        const count = counts[own ?? 'all'];
        return (
          <Link
            key={name}
            href={toolsPath(view, { tab: own })}
            aria-current={own === tab ? 'page' : undefined}
          >
            {name}
            {count === undefined ? null : <span className="count">{formatCount(count)}</span>}
          </Link>
        );
      })}
    </nav>
  );
}
