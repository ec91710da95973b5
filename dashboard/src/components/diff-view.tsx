// Renders a line diff. A sign precedes each line, so that nothing depends on colour.
import type { DiffLine } from './prepare-diff.ts';

interface DiffViewProps {
  readonly label: string;
  readonly lines: readonly DiffLine[];
}

const LINE_CLASSES: Readonly<Record<DiffLine['sign'], string>> = {
  '+': 'added',
  '-': 'removed',
  ' ': 'kept',
  '…': 'folded',
};

export function DiffView({ label, lines }: DiffViewProps) {
  if (lines.length === 0) return <p className="muted small">No differences.</p>;
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a scrollable region must be focusable
    <section className="diff" aria-label={label} tabIndex={0}>
      <pre>
        {lines.map(({ sign, text }, at) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: the lines have no other key and never move
          <span key={at} className={LINE_CLASSES[sign]}>
            {sign} {text}
            {'\n'}
          </span>
        ))}
      </pre>
    </section>
  );
}
