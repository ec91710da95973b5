// The tabs of the tools page; the selected one is stored in the URL.
import { useEffect, useRef } from 'react';
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
  ['unknown', 'Unknown tools'],
  ['retirement', 'Retirement'],
  ['advice', 'Advice'],
];

interface ToolTabsProps {
  readonly view: View;
  readonly tab: ToolTab | undefined;
  /** The count on each tab; absent until known. */
  readonly counts: Readonly<Partial<Record<ToolTab | 'all', number | undefined>>>;
}

export function ToolTabs({ view, tab, counts }: ToolTabsProps) {
  const nav = useRef<HTMLElement>(null);
  // On a phone the tabs scroll sideways, and counts that load later move the selected one.
  const known = Object.values(counts).filter((count) => count !== undefined).length;
  // biome-ignore lint/correctness/useExhaustiveDependencies: known counts widen the tabs
  useEffect(() => {
    nav.current
      ?.querySelector(tab === undefined ? 'a' : 'a[aria-current]')
      ?.scrollIntoView({ inline: 'center', block: 'nearest' });
  }, [tab, known]);
  return (
    <nav className="tabs" aria-label="Which tools" ref={nav}>
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
