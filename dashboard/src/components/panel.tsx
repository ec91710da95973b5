// A titled section of a page. The note next to the title explains how to read the values.
import type { ReactNode } from 'react';
import { useId } from 'react';
import { useAnchor } from '../view/use-anchor.ts';

interface PanelProps {
  readonly title: string;
  readonly note?: ReactNode;
  /** Buttons and links at the right end of the title. */
  readonly actions?: ReactNode;
  readonly className?: string;
  /** The URL fragment of the panel. The panel renders after navigation, so it scrolls itself into view. */
  readonly anchor?: string;
  readonly children: ReactNode;
}

export function Panel({ title, note, actions, className = '', anchor, children }: PanelProps) {
  const id = useId();
  const section = useAnchor(anchor);
  return (
    <section
      className={`panel ${className}`}
      aria-labelledby={id}
      ref={section}
      {...(anchor === undefined ? {} : { id: anchor.slice(1), tabIndex: -1 })}
    >
      <header>
        <h2 id={id}>{title}</h2>
        {note ? <p className="muted small">{note}</p> : null}
        {actions ? <div className="actions">{actions}</div> : null}
      </header>
      {children}
    </section>
  );
}
