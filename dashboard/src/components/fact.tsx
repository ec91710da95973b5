// One term and its value in a description list.
import type { ReactNode } from 'react';

interface FactProps {
  readonly name: string;
  readonly title?: string;
  readonly children: ReactNode;
}

export function Fact({ name, title, children }: FactProps) {
  return (
    <div title={title}>
      <dt>{name}</dt>
      <dd>{children}</dd>
    </div>
  );
}
