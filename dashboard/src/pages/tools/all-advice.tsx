// Advice on all tools, ranked by lost calls, below the two rates that show whether following it helped.
import { Link } from 'wouter';
import type { AdviceResponse } from '../../../../src/contract/advice.ts';
import { useAdvice } from '../../api/tool-queries.ts';
import { QueryBoundary } from '../../components/query-boundary.tsx';
import { Share } from '../../components/values.tsx';
import { formatCount, formatPlural } from '../../format/format-number.ts';
import { TOOLS_PARAMETERS, toolsPath } from '../../paths.ts';
import { usePageState } from '../../view/use-view.ts';
import type { View } from '../../view/view.ts';
import { AdviceCard } from '../tool/advice-card.tsx';

const ADVICE_STATE_LABELS = [
  [undefined, 'Open'],
  ['dismissed', 'Dismissed'],
  ['gone', 'Gone'],
  ['all', 'All'],
] as const;

export function AllAdvice({ view }: { readonly view: View }) {
  const state = usePageState(TOOLS_PARAMETERS).state;
  const result = useAdvice(view, state ?? 'open');
  return (
    <QueryBoundary result={result} skeletonRows={8} empty={() => undefined}>
      {(response) => (
        <>
          <h1>{describeAdvice(response, state)}</h1>
          <AdviceRates response={response} />
          <nav className="segments" aria-label="Which advice">
            {ADVICE_STATE_LABELS.map(([own, name]) => (
              <Link
                key={name}
                href={toolsPath(view, { tab: 'advice', state: own })}
                aria-current={own === state ? 'page' : undefined}
              >
                {name}
              </Link>
            ))}
          </nav>
          <ol className="advice-cards">
            {response.advice.map((row) => (
              <li key={row.id}>
                <AdviceCard row={row} view={view} withTool />
              </li>
            ))}
          </ol>
        </>
      )}
    </QueryBoundary>
  );
}

function describeAdvice({ advice }: AdviceResponse, state: string | undefined): string {
  const lost = advice.reduce((sum, { callsLost }) => sum + callsLost, 0);
  if (advice.length === 0) {
    return state ? `No ${state === 'all' ? '' : `${state} `}advice.` : 'No advice: no rule found anything.';
  }
  const kind = state === undefined ? 'open finding' : state === 'all' ? 'finding' : `${state} finding`;
  return `${formatPlural(advice.length, kind)} ${advice.length === 1 ? 'explains' : 'explain'} ${formatCount(lost)} lost calls.`;
}

/** Both rates with their definition, and why there is no third. */
function AdviceRates({ response }: { readonly response: AdviceResponse }) {
  const { correctCallRate, errorRecoveryRate } = response;
  return (
    <dl className="two-rates">
      <div>
        <dt>Correct call rate</dt>
        <dd>
          <strong>
            <Share share={correctCallRate} withInterval withN />
          </strong>
          <p>Calls that were not refused for their arguments, an unknown tool or misuse of the protocol.</p>
        </dd>
      </div>
      <div>
        <dt>Error recovery rate</dt>
        <dd>
          <strong>
            <Share share={errorRecoveryRate} withInterval withN of="error" />
          </strong>
          <p>Errors that were followed by a success of the same tool within the session.</p>
        </dd>
      </div>
      <div>
        <dt>Result use</dt>
        <dd>
          <p>
            Not measured. Whether an agent used what it was given can only be told from values, and those are
            not sent.
          </p>
        </dd>
      </div>
    </dl>
  );
}
