// Says in the place of a fact that nobody collected it, and folds open to how to have it and what that costs in privacy.
import {
  NOT_COLLECTED,
  type NotCollectedKind,
  type NotCollectedWords,
} from '../format/not-collected-words.ts';

interface NotCollectedProps {
  readonly kind: NotCollectedKind;
  /** Instead of the usual words, where the place knows better what is missing. */
  readonly missing?: string;
}

export function NotCollected({ kind, missing }: NotCollectedProps) {
  const words: NotCollectedWords = NOT_COLLECTED[kind];
  return (
    <div className="not-collected">
      <p className="muted">{missing ?? words.missing}</p>
      <details>
        <summary>How to collect it, and what that tells</summary>
        <p>{words.how}</p>
        {words.code ? <pre>{words.code}</pre> : null}
        <p>{words.cost}</p>
      </details>
    </div>
  );
}
