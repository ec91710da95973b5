// How agents got past an error, with the text that the tool could send as the error's `recovery`.
import type { RecoveryRow } from '../../../../src/contract/recoveries.ts';
import type { FailureGroup } from '../../../../src/contract/tool.ts';
import { CopyButton } from '../../components/copy-button.tsx';
import { formatPlural } from '../../format/format-number.ts';

/** Finds what was learned about the error of a group. */
export function findRecovery(
  recoveries: readonly RecoveryRow[],
  { outcome, code, argument, template }: FailureGroup,
): RecoveryRow | undefined {
  return recoveries.find(
    (one) =>
      one.outcome === outcome &&
      one.code === code &&
      one.argument === argument &&
      (one.template === '' || one.template === template),
  );
}

export function LearnedRecovery({ recovery: { sentence, sessions, recovery } }: { recovery: RecoveryRow }) {
  return (
    <div className="failure-recovery">
      <p>
        {sentence} <span className="muted">Seen in {formatPlural(sessions, 'session')}.</span>
      </p>
      <p>
        <span className="muted">Proposed recovery text:</span> <q>{recovery}</q>{' '}
        <CopyButton text={recovery} what="recovery text" />
      </p>
    </div>
  );
}
