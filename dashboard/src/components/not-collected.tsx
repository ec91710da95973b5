// Replaces a value that was not collected; expands to show how to enable it and its privacy cost.
import { NOT_COLLECTED, type NotCollectedKind, type NotCollectedText } from '../format/not-collected-text.ts';

interface NotCollectedProps {
  readonly kind: NotCollectedKind;
  /** Overrides the default text when the caller knows better what is missing. */
  readonly missing?: string;
}

export function NotCollected({ kind, missing }: NotCollectedProps) {
  const text: NotCollectedText = NOT_COLLECTED[kind];
  return (
    <div className="not-collected">
      <p className="muted">{missing ?? text.missing}</p>
      <details className="small">
        <summary>How to collect it, and the privacy cost</summary>
        <p>{text.how}</p>
        {text.code ? <pre>{text.code}</pre> : null}
        <p>{text.privacyCost}</p>
      </details>
    </div>
  );
}
