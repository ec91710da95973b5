// Shows whether something changed: a label with an icon, so that it never depends on colour alone.
import type { ReactNode } from 'react';
import type { ComparisonLabel } from '../format/describe-comparison.ts';
import { Icon } from './icon.tsx';

interface ComparisonBadgeProps {
  readonly label: ComparisonLabel;
  readonly children?: ReactNode;
}

const TONE_ICONS = { same: 'equal', changed: 'changed', unknown: 'question', first: undefined } as const;

export function ComparisonBadge({ label: { tone, text }, children }: ComparisonBadgeProps) {
  const icon = TONE_ICONS[tone];
  return (
    <span className={`compared ${tone}`}>
      {icon ? <Icon name={icon} /> : null}
      {text}
      {children}
    </span>
  );
}
