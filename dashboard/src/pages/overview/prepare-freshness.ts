// Describes the freshness of the data: what is waiting, what was quarantined, and whether the stats were
// verified. A healthy state takes one word, so that it is never ambiguous; a problem is explained.

import type { NamesBeyondLimit, SummaryResponse } from '../../../../src/contract/summary.ts';
import { formatDuration } from '../../format/format-duration.ts';
import { formatCount, formatPlural } from '../../format/format-number.ts';

type Freshness = SummaryResponse['freshness'];
type Pipeline = NonNullable<Freshness['pipeline']>;
type Reconciliation = NonNullable<Pipeline['lastReconciliation']>;

export interface FreshnessItem {
  readonly text: string;
  readonly tone: 'quiet' | 'lost';
  /** A time appended to the text, in ISO 8601. */
  readonly at?: string;
}

const toNormalItem = (text: string): FreshnessItem => ({ text, tone: 'quiet' });
const toProblemItem = (text: string): FreshnessItem => ({ text, tone: 'lost' });

export function prepareFreshness(freshness: Freshness): readonly FreshnessItem[] {
  const { lastEventAt, serversReporting, droppedByProducers, rejectedSpans, notTaking, pipeline } = freshness;
  const { namesBeyondLimits = [] } = freshness;
  return [
    ...(notTaking === undefined ? [] : [toProblemItem(`Ingest stopped: ${notTaking}`)]),
    ...(lastEventAt === null ? [] : [{ ...toNormalItem('Last event'), at: lastEventAt }]),
    toNormalItem(`${formatPlural(serversReporting, 'server')} reporting`),
    describePendingCalls(freshness),
    describeLostCalls(droppedByProducers, 'dropped by SDKs'),
    describeLostCalls(rejectedSpans, 'rejected'),
    ...namesBeyondLimits.map(describeNamesBeyondLimit),
    ...(pipeline
      ? [describeQuarantine(pipeline), ...describeLastReconciliation(pipeline.lastReconciliation)]
      : []),
  ];
}

const NAME_KIND_LABELS: Readonly<Record<NamesBeyondLimit['kind'], string>> = {
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

function describeNamesBeyondLimit({ kind, limit, values }: NamesBeyondLimit): FreshnessItem {
  const fate = kind === 'catalogue' || kind === 'listedTool' ? 'left out' : 'shown as “other”';
  return toProblemItem(
    `More than ${formatCount(limit)} ${NAME_KIND_LABELS[kind]} today: ${formatCount(values)} names ${fate}`,
  );
}

/** Calls normally arrive within a second; a longer lag means that something delays them. */
const MIN_LAG_MS = 5_000;

function describePendingCalls({ pendingCalls, pipeline }: Freshness): FreshnessItem {
  if (pendingCalls === 0) return toNormalItem('Ingest up to date');
  const calls = `${formatPlural(pendingCalls, 'call')} waiting to be stored`;
  if (!pipeline || pipeline.ingestLagMs < MIN_LAG_MS) return toNormalItem(calls);
  const batches = formatPlural(pipeline.pendingBatches, 'batch', 'batches');
  return toProblemItem(`${calls}, in ${batches}, for ${formatDuration(pipeline.ingestLagMs)}`);
}

function describeLostCalls(count: number, what: string): FreshnessItem {
  return count === 0 ? toNormalItem(`0 ${what}`) : toProblemItem(`${formatPlural(count, 'call')} ${what}`);
}

function describeQuarantine({ quarantineEntries, quarantineDropped = 0 }: Pipeline): FreshnessItem {
  if (quarantineEntries === 0 && quarantineDropped === 0) return toNormalItem('No quarantined calls');
  const dropped =
    quarantineDropped === 0
      ? ''
      : `, ${formatPlural(quarantineDropped, 'older entry', 'older entries')} removed to free space`;
  return toProblemItem(
    `${formatPlural(quarantineEntries, 'entry', 'entries')} in quarantine${dropped}: see toolscope journal`,
  );
}

function describeLastReconciliation(last: Reconciliation | null): readonly FreshnessItem[] {
  return last === null
    ? [toNormalItem('Data not verified yet')]
    : [{ ...describeReconciliationResult(last), at: last.at }];
}

function describeReconciliationResult({ result, differences, repairedDays }: Reconciliation): FreshnessItem {
  const repairedText = `${formatPlural(differences, 'difference')} repaired in ${formatPlural(repairedDays.length, 'day')}`;
  switch (result) {
    case 'equal':
      return toNormalItem('Data verified');
    case 'repaired':
      return toNormalItem(`Data corrected: ${repairedText}, verified`);
    case 'left':
      return toNormalItem('Older days can’t be verified (raw calls expired); checked');
    case 'failed':
      return toProblemItem('Data differs from the raw calls, retrying repair; checked');
    default:
      return result satisfies never;
  }
}
