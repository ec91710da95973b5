// A row of choices of which one is set: buttons for a preference or a form, links for a choice in the URL.
import type { ReactNode } from 'react';
import { Link } from 'wouter';

interface SegmentedControlProps<T> {
  /** What is chosen, for screen readers. */
  readonly label: string;
  readonly choices: readonly (readonly [value: T, text: string, title?: string])[];
  readonly value: T;
  readonly onChange: (value: T) => void;
  /** A further choice, after the others. */
  readonly children?: ReactNode;
}

export function SegmentedControl<T extends string | number | undefined>(props: SegmentedControlProps<T>) {
  const { label, choices, value, onChange, children } = props;
  return (
    <fieldset className="segments">
      <legend className="visually-hidden">{label}</legend>
      {choices.map(([choice, text, title]) => (
        <button
          key={text}
          type="button"
          aria-pressed={choice === value}
          title={title}
          onClick={() => onChange(choice)}
        >
          {text}
        </button>
      ))}
      {children}
    </fieldset>
  );
}

interface SegmentedLink {
  readonly text: string;
  readonly path: string;
  readonly isCurrent: boolean;
  readonly title?: string | undefined;
  /** Shown after the text. */
  readonly count?: ReactNode;
}

interface SegmentedLinksProps {
  /** What is chosen, for screen readers. */
  readonly label: string;
  readonly links: readonly SegmentedLink[];
  /** Replaces the entry in the browser's history. */
  readonly replace?: boolean;
}

export function SegmentedLinks({ label, links, replace = false }: SegmentedLinksProps) {
  return (
    <nav className="segments" aria-label={label}>
      {links.map(({ text, path, isCurrent, title, count }) => (
        <Link
          key={text}
          href={path}
          replace={replace}
          title={title}
          aria-current={isCurrent ? 'true' : undefined}
        >
          {text}
          {count === undefined ? null : <span className="count">{count}</span>}
        </Link>
      ))}
    </nav>
  );
}
