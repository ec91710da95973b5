// Advice on every tool, ranked by calls lost, below the two rates that say whether following it helped.
import { Link } from 'wouter';
import type { AdviceAnswer } from '../../../../src/contract/advice.ts';
import { useAdvice } from '../../api/tool-questions.ts';
import { Share } from '../../components/figures.tsx';
import { Shell } from '../../components/shell.tsx';
import { formatCount, formatNoun } from '../../format/format-number.ts';
import { toolsPath } from '../../paths.ts';
import { useOwnChoice } from '../../view/use-view.ts';
import type { View } from '../../view/view.ts';
import { AdviceCard } from '../tool/advice-card.tsx';

const STATES = [
  [undefined, 'Open'],
  ['dismissed', 'Dismissed'],
  ['gone', 'Gone'],
  ['all', 'All'],
] as const;

export function AllAdvice({ view }: { readonly view: View }) {
  const state = useOwnChoice('state', ['dismissed', 'gone', 'all']);
  const asked = useAdvice(view, state ?? 'open');
  return (
    <Shell asked={asked} rows={8} empty={() => undefined}>
      {(answer) => (
        <>
          <h1>{toSentence(answer, state)}</h1>
          <TwoRates answer={answer} />
          <nav className="segments" aria-label="Which advice">
            {STATES.map(([own, name]) => (
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
            {answer.advice.map((row) => (
              <li key={row.id}>
                <AdviceCard row={row} view={view} withTool />
              </li>
            ))}
          </ol>
        </>
      )}
    </Shell>
  );
}

function toSentence({ advice }: AdviceAnswer, state: string | undefined): string {
  const lost = advice.reduce((sum, { callsLost }) => sum + callsLost, 0);
  if (advice.length === 0) {
    return state ? `No ${state === 'all' ? '' : `${state} `}advice.` : 'No advice: no rule found anything.';
  }
  const kind = state === undefined ? 'open finding' : state === 'all' ? 'finding' : `${state} finding`;
  return `${formatNoun(advice.length, kind)} ${advice.length === 1 ? 'explains' : 'explain'} ${formatCount(lost)} lost calls.`;
}

/** Both with their definition, and why there is no third. */
function TwoRates({ answer }: { readonly answer: AdviceAnswer }) {
  const { correctCallRate, errorRecoveryRate } = answer;
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
