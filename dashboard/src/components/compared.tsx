// Whether something is as it was before: a word with its sign, so that colour says it never alone.
import type { ReactNode } from 'react';
import type { Told } from '../format/told.ts';
import { Icon } from './icon.tsx';

interface ComparedProps {
  readonly told: Told;
  readonly children?: ReactNode;
}

const ICONS = { same: 'equal', changed: 'changed', unknown: 'question', first: undefined } as const;

export function Compared({ told: { tone, words }, children }: ComparedProps) {
  const icon = ICONS[tone];
  return (
    <span className={`compared ${tone}`}>
      {icon ? <Icon name={icon} /> : null}
      {words}
      {children}
    </span>
  );
}
