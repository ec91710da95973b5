// What agents did after a failure, as one bar. Parts too narrow for a label are labelled below.
import type { AfterErrors } from '../../../../src/contract/tool.ts';
import { formatCount, formatPlural, formatRate } from '../../format/format-number.ts';
import { type AfterFailurePart, prepareAfterFailure } from './prepare-after-failure.ts';

interface AfterFailureBarProps {
  readonly next: AfterErrors;
  readonly changed?: readonly { readonly argument: string; readonly count: number }[];
}

export function AfterFailureBar({ next, changed = [] }: AfterFailureBarProps) {
  const parts = prepareAfterFailure(next, changed);
  if (parts.length === 0) return <p className="muted small">What came next is not known.</p>;
  const narrow = parts.filter(({ isNarrow }) => isNarrow);
  return (
    <figure
      className="next"
      aria-label={`After ${formatPlural(next.n, 'failure')}: ${parts.map(formatPart).join(', ')}`}
    >
      <div className="next-bar" aria-hidden="true">
        {parts.map((part) => (
          <span
            key={part.kind}
            className={part.kind}
            style={{ flexGrow: part.count }}
            title={formatPart(part)}
          >
            {part.isNarrow ? null : (
              <>
                <span>{part.label}</span> <strong>{formatCount(part.count)}</strong>
              </>
            )}
          </span>
        ))}
      </div>
      <figcaption className="muted">
        <span>next, of {formatPlural(next.n, 'failure')}</span>
        {narrow.map((part) => (
          <span key={part.kind}>
            <i className={`key-mark ${part.kind}`} aria-hidden="true" /> {part.label}{' '}
            {formatCount(part.count)}
          </span>
        ))}
      </figcaption>
    </figure>
  );
}

function formatPart({ label, count, share }: AfterFailurePart): string {
  return `${label} ${formatCount(count)} (${formatRate(share)})`;
}
