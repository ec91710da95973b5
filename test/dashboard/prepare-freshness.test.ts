// What the strip under the verdict says, and when it says it with the mark of a fault.

import { describe, expect, test } from 'vitest';
import { formatDuration } from '../../dashboard/src/format/format-duration.ts';
import {
  type FreshnessItem,
  prepareFreshness,
} from '../../dashboard/src/pages/overview/prepare-freshness.ts';
import type { PipelineStatus, SummaryResponse } from '../../src/contract/summary.ts';

type Freshness = SummaryResponse['freshness'];

const AT = '2026-01-05T10:00:00.000Z';
const equal: NonNullable<PipelineStatus['lastReconciliation']> = {
  at: AT,
  result: 'equal',
  hours: 4,
  differences: 0,
  repairedDays: [],
};
const pipeline: PipelineStatus = {
  ingestLagMs: 0,
  pendingBatches: 0,
  quarantineEntries: 0,
  lastReconciliation: equal,
};
const fine: Freshness = {
  lastEventAt: AT,
  serversReporting: 2,
  pendingCalls: 0,
  droppedByProducers: 0,
  rejectedSpans: 0,
  pipeline,
};

const CASES: readonly {
  readonly name: string;
  readonly because: string;
  readonly change: Partial<Freshness>;
  readonly says: FreshnessItem;
}[] = [
  {
    name: 'nothing waits',
    because: 'an absent word could mean anything',
    change: {},
    says: { text: 'Ingest up to date', tone: 'quiet' },
  },
  {
    name: 'calls wait for a moment',
    because: 'a batch is on its way most of the time',
    change: { pendingCalls: 3, pipeline: { ...pipeline, pendingBatches: 1, ingestLagMs: 900 } },
    says: { text: '3 calls waiting to be stored', tone: 'quiet' },
  },
  {
    name: 'calls wait for long',
    because: 'then the store does not take them',
    change: { pendingCalls: 300, pipeline: { ...pipeline, pendingBatches: 2, ingestLagMs: 12_000 } },
    says: {
      text: `300 calls waiting to be stored, in 2 batches, for ${formatDuration(12_000)}`,
      tone: 'lost',
    },
  },
  {
    name: 'something lies in quarantine',
    because: 'it was acknowledged and is in no figure',
    change: { pipeline: { ...pipeline, quarantineEntries: 1 } },
    says: { text: '1 entry in quarantine: see toolscope journal', tone: 'lost' },
  },
  {
    name: 'older entries had to go',
    because: 'they are lost, and nobody else says so',
    change: { pipeline: { ...pipeline, quarantineEntries: 20, quarantineDropped: 12 } },
    says: {
      text: '20 entries in quarantine, 12 older entries removed to free space: see toolscope journal',
      tone: 'lost',
    },
  },
  {
    name: 'the figures were found right',
    because: 'it is the one promise that nobody can check by looking',
    change: {},
    says: { text: 'Data verified', tone: 'quiet', at: AT },
  },
  {
    name: 'the figures were mended',
    because: 'who wrote one of them down should know',
    change: {
      pipeline: {
        ...pipeline,
        lastReconciliation: { ...equal, result: 'repaired', differences: 7, repairedDays: ['2026-01-04'] },
      },
    },
    says: { text: 'Data corrected: 7 differences repaired in 1 day, verified', tone: 'quiet', at: AT },
  },
  {
    name: 'the figures are wrong still',
    because: 'they should not be trusted',
    change: { pipeline: { ...pipeline, lastReconciliation: { ...equal, result: 'failed' } } },
    says: { text: 'Data differs from the raw calls, retrying repair; checked', tone: 'lost', at: AT },
  },
  {
    name: 'nothing was checked yet',
    because: 'the first check comes some seconds after the start',
    change: { pipeline: { ...pipeline, lastReconciliation: null } },
    says: { text: 'Data not verified yet', tone: 'quiet' },
  },
  {
    name: 'the disk is full',
    because: 'nothing else matters then',
    change: { notTaking: 'the disk has no room.' },
    says: { text: 'Ingest stopped: the disk has no room.', tone: 'lost' },
  },
];

describe('freshness strip', () => {
  test.each(CASES)('the strip has its message when $name, because $because', ({ change, says }) => {
    expect(prepareFreshness({ ...fine, ...change })).toContainEqual(says);
  });

  test('the strip shows nothing for fields that an older service does not send', () => {
    const { pipeline: _, ...older } = fine;
    expect(prepareFreshness(older).map(({ text }) => text)).toEqual([
      'Last event',
      '2 servers reporting',
      'Ingest up to date',
      '0 dropped by SDKs',
      '0 rejected',
    ]);
  });
});
