// A titled part of a page. The title asks or states; the note beside it says how to read the figures.
import type { ReactNode } from 'react';
import { useId } from 'react';

interface PanelProps {
  readonly title: string;
  readonly note?: ReactNode;
  /** Buttons and links at the right end of the title. */
  readonly actions?: ReactNode;
  readonly className?: string;
  readonly children: ReactNode;
}

export function Panel({ title, note, actions, className = '', children }: PanelProps) {
  const id = useId();
  return (
    <section className={`panel ${className}`} aria-labelledby={id}>
      <header>
        <h2 id={id}>{title}</h2>
        {note ? <p className="muted">{note}</p> : null}
        {actions ? <div className="actions">{actions}</div> : null}
      </header>
      {children}
    </section>
  );
}
