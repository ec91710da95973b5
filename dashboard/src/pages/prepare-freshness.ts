// How fresh the figures are, in words: what waits, what was put aside, and whether the figures were found to be right. What
// is as it should be is said in a word, so that its absence is no riddle; what is not says what it means.

import type { NamesBeyondLimit, SummaryAnswer } from '../../../src/contract/answers.ts';
import { formatDuration } from '../format/format-duration.ts';
import { formatCount, formatNoun } from '../format/format-number.ts';

type Freshness = SummaryAnswer['freshness'];
type Pipeline = NonNullable<Freshness['pipeline']>;
type Reconciliation = NonNullable<Pipeline['lastReconciliation']>;

export interface FreshnessItem {
  readonly text: string;
  readonly tone: 'quiet' | 'lost';
  /** An instant that the text ends in, ISO. */
  readonly at?: string;
}

const quiet = (text: string): FreshnessItem => ({ text, tone: 'quiet' });
const lost = (text: string): FreshnessItem => ({ text, tone: 'lost' });

export function prepareFreshness(freshness: Freshness): readonly FreshnessItem[] {
  const { lastEventAt, serversReporting, droppedByProducers, rejectedSpans, notTaking, pipeline } = freshness;
  const { namesBeyondLimits = [] } = freshness;
  return [
    ...(notTaking === undefined ? [] : [lost(`No calls are taken: ${notTaking}`)]),
    ...(lastEventAt === null ? [] : [{ ...quiet('Last event'), at: lastEventAt }]),
    quiet(`${formatNoun(serversReporting, 'server')} reporting`),
    toWaiting(freshness),
    toLost(droppedByProducers, 'dropped before they were sent'),
    toLost(rejectedSpans, 'rejected'),
    ...namesBeyondLimits.map(toBeyondLimit),
    ...(pipeline ? [toQuarantine(pipeline), ...toChecked(pipeline.lastReconciliation)] : []),
  ];
}

const KIND_WORDS: Readonly<Record<NamesBeyondLimit['kind'], string>> = {
  server: 'servers',
  environment: 'environments of a server',
  version: 'versions of a server',
  client: 'clients of a server',
  clientVersion: 'client versions of a server',
  protocol: 'protocol versions of a server',
  method: 'methods of a server',
  tool: 'unlisted tools of a server',
  listedTool: 'listed tools of a server',
  target: 'prompts and resources of a server',
  code: 'error codes of a server',
  errorType: 'error types of a server',
  errorArgument: 'refused arguments of a server',
  template: 'error messages of a server',
  catalogue: 'catalogues of a server',
};

function toBeyondLimit({ kind, limit, values }: NamesBeyondLimit): FreshnessItem {
  const fate = kind === 'catalogue' || kind === 'listedTool' ? 'left out' : 'shown as “other”';
  return lost(
    `More than ${formatCount(limit)} ${KIND_WORDS[kind]} today: ${formatCount(values)} names ${fate}`,
  );
}

/** Calls are on their way for a second at most; from then on something holds them up. */
const LAG_MS = 5_000;

function toWaiting({ pendingCalls, pipeline }: Freshness): FreshnessItem {
  if (pendingCalls === 0) return quiet('Nothing waits for the store');
  const calls = `${formatNoun(pendingCalls, 'call')} on the way to the store`;
  if (!pipeline || pipeline.ingestLagMs < LAG_MS) return quiet(calls);
  const batches = formatNoun(pipeline.pendingBatches, 'batch', 'batches');
  return lost(`${calls}, in ${batches}, for ${formatDuration(pipeline.ingestLagMs)}`);
}

function toLost(count: number, what: string): FreshnessItem {
  return count === 0 ? quiet(`0 ${what}`) : lost(`${formatNoun(count, 'call')} ${what}`);
}

function toQuarantine({ quarantineEntries, quarantineDropped = 0 }: Pipeline): FreshnessItem {
  if (quarantineEntries === 0 && quarantineDropped === 0) return quiet('Quarantine empty');
  const dropped =
    quarantineDropped === 0
      ? ''
      : `, ${formatNoun(quarantineDropped, 'older entry', 'older entries')} removed to make room`;
  return lost(
    `${formatNoun(quarantineEntries, 'entry', 'entries')} in quarantine${dropped}: see toolscope journal`,
  );
}

function toChecked(last: Reconciliation | null): readonly FreshnessItem[] {
  return last === null ? [quiet('Figures not checked yet')] : [{ ...tellResult(last), at: last.at }];
}

function tellResult({ result, differences, repairedDays }: Reconciliation): FreshnessItem {
  const mended = `${formatNoun(differences, 'difference')} mended in ${formatNoun(repairedDays.length, 'day')}`;
  switch (result) {
    case 'equal':
      return quiet('Figures equal the calls, checked');
    case 'repaired':
      return quiet(`Figures were off, ${mended}, checked`);
    case 'left':
      return quiet(
        'Figures of some old days stay as they are, for their calls are not all there any more; checked',
      );
    case 'failed':
      return lost('Figures differ from the calls, and will be mended again; checked');
    default:
      return result satisfies never;
  }
}
