// Says in the place of a fact that nobody collected it, and folds open to how to have it and what that costs in privacy.
import { NOT_COLLECTED, type NotCollectedKind, type NotCollectedText } from '../format/not-collected-text.ts';

interface NotCollectedProps {
  readonly kind: NotCollectedKind;
  /** Instead of the usual words, where the place knows better what is missing. */
  readonly missing?: string;
}

export function NotCollected({ kind, missing }: NotCollectedProps) {
  const text: NotCollectedText = NOT_COLLECTED[kind];
  return (
    <div className="not-collected">
      <p className="muted">{missing ?? text.missing}</p>
      <details>
        <summary>How to collect it, and what that tells</summary>
        <p>{text.how}</p>
        {text.code ? <pre>{text.code}</pre> : null}
        <p>{text.privacyCost}</p>
      </details>
    </div>
  );
}
