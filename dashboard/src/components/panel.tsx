// A titled part of a page. The title asks or states; the note beside it says how to read the figures.
import type { ReactNode } from 'react';
import { useId } from 'react';
import { useAnchor } from '../view/use-anchor.ts';

interface PanelProps {
  readonly title: string;
  readonly note?: ReactNode;
  /** Buttons and links at the right end of the title. */
  readonly actions?: ReactNode;
  readonly className?: string;
  /** The hash of an address that leads here; what it names comes after the page, so the panel brings itself into view. */
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
        {note ? <p className="muted">{note}</p> : null}
        {actions ? <div className="actions">{actions}</div> : null}
      </header>
      {children}
    </section>
  );
}
