// What is wrong with a tool, in one sentence made of its figures: how often it fails, on what most, what agents did then,
// and, where it does not fail, whether it is mistaken for another or gone round in. Nothing is said of few calls but
// that they are few.
import type { FailureGroup, ToolAnswer } from '../../../../src/contract/tool.ts';
import { FEW_CALLS } from '../../charts/prepared-chart.ts';
import { formatDuration } from '../../format/format-duration.ts';
import { formatCount, formatNoun, formatRate } from '../../format/format-number.ts';
import { prepareNext } from './prepare-next.ts';

/** Below this an error rate is told beside the latency rather than as a failing. */
const FAILS_FROM = 0.02;
/** Above this share, going round is worth a clause. */
const LOOPS_FROM = 0.1;
/** A confusion of fewer calls may be chance. */
const CONFUSED_FROM = 5;

type Told = Pick<
  ToolAnswer,
  'tool' | 'calls' | 'errorRate' | 'p95Ms' | 'failures' | 'loopShare' | 'confusedWith' | 'listed'
>;

/** @param range in words: "in the last 24 hours" */
export function prepareToolSentence(answer: Told, range: string): string {
  const { tool, calls } = answer;
  if (calls === 0) return `${tool} was not called ${range}.`;
  const clauses = [toRate(answer), toMain(answer), toOther(answer)].filter(Boolean);
  return `${clauses.join('; ')}.`;
}

function errorsOf({ errorRate, calls }: Told): number {
  return Math.round((errorRate.value ?? 0) * calls);
}

function toRate(answer: Told): string {
  const { tool, calls, errorRate, p95Ms, listed } = answer;
  const errors = errorsOf(answer);
  if (listed === 'unlisted' && errors === calls)
    return `${tool} does not exist, and was asked for ${formatNoun(calls, 'time')}`;
  if (calls < FEW_CALLS)
    return `${tool} failed in ${formatCount(errors)} of ${formatNoun(calls, 'call')}, too few for a rate`;
  const rate = formatRate(errorRate.value);
  if (errors === 0)
    return `${tool} did not fail in ${formatNoun(calls, 'call')}, p95 ${formatDuration(p95Ms)}`;
  if ((errorRate.value ?? 0) < FAILS_FROM)
    return `${tool} works: ${rate} of ${formatNoun(calls, 'call')} fail, p95 ${formatDuration(p95Ms)}`;
  return `${tool} fails in ${rate} of ${formatNoun(calls, 'call')}`;
}

/** The failure that explains most, and what came after it most often. */
function toMain(answer: Told): string {
  const [main] = answer.failures;
  if (!main || answer.listed === 'unlisted' || (answer.errorRate.value ?? 0) < FAILS_FROM) return '';
  const share =
    main.count === errorsOf(answer) ? 'each time' : `${formatRate(main.share)} of the failures are`;
  const then = toThen(main);
  return `${share} ${quote(main)}${then}`;
}

function quote({ template, code, outcome }: FailureGroup): string {
  return template ? `“${template}”` : code || outcome.replaceAll('_', ' ');
}

function toThen(group: FailureGroup): string {
  const [most] = [...prepareNext(group.next, group.changedArguments)].sort((a, b) => b.count - a.count);
  if (!most || group.next.n < FEW_CALLS) return '';
  return `, after which agents mostly ${most.told}`;
}

function toOther({ confusedWith, loopShare, calls }: Told): string {
  const [confused] = confusedWith;
  if (calls >= FEW_CALLS && (loopShare.value ?? 0) >= LOOPS_FROM)
    return `${formatRate(loopShare.value)} of its calls went round in loops`;
  return confused && confused.calls >= CONFUSED_FROM
    ? `${formatNoun(confused.calls, 'call')} should have been ${confused.tool}`
    : '';
}
