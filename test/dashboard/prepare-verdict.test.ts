// What the headline of the overview says: the service's verdict, or why it does not hold now.
import { describe, expect, test } from 'vitest';
import { prepareVerdict, type VerdictHeadline } from '../../dashboard/src/pages/overview/prepare-verdict.ts';
import { describeStaleness, type StalenessFacts } from '../../dashboard/src/view/prepare-staleness.ts';
import type { SummaryResponse } from '../../src/contract/summary.ts';

const AT = 1_000_000;
const CURRENT: StalenessFacts = {
  status: { outage: undefined, outdatedBeforeMs: 0 },
  live: 'live',
  isOverdue: false,
  formatTime: (ms) => `${ms / 1_000} s`,
};
const STALENESS_CASES: readonly [string, Partial<StalenessFacts>, string | undefined, string][] = [
  ['nothing failed', {}, undefined, 'the heartbeat says that nothing has changed'],
  ['the stream is mute and the page polls', { live: 'polling' }, undefined, 'responses still arrive'],
  [
    'the service does not respond',
    { status: { outage: { kind: 'no_response', sinceMs: 5_000 }, outdatedBeforeMs: 0 } },
    'No response from the service since 5 s.',
    'it was killed, stopped or cut off',
  ],
  [
    'the store does not respond',
    { status: { outage: { kind: 'store_unreachable', sinceMs: 5_000 }, outdatedBeforeMs: 0 } },
    'The store has not responded since 5 s.',
    'responses from the cache look fresh',
  ],
  [
    'the outage has just ended',
    { status: { outage: undefined, outdatedBeforeMs: AT + 1 } },
    'Updating.',
    'the old verdict must not look current until it is refetched',
  ],
  ['updates are paused', { live: 'paused' }, 'Updates are paused.', 'nobody asks the service'],
  ['a request hangs', { isOverdue: true }, 'The next update is overdue.', 'the probe may still be answered'],
];

describe('staleness of a response', () => {
  test.each(STALENESS_CASES)('when %s, %o is reported as %j, because %s', (_name, facts, expected) => {
    expect(describeStaleness({ dataUpdatedAt: AT, error: null }, { ...CURRENT, ...facts })).toBe(expected);
  });

  test('a failed refetch is reported in the words of its error', () => {
    const error = new Error('The store does not answer.');
    expect(describeStaleness({ dataUpdatedAt: AT, error }, CURRENT)).toBe(error.message);
  });
});

const NOW: NonNullable<SummaryResponse['now']> = {
  range: { fromMs: 0, toMs: AT },
  verdict: 'healthy',
  sentence: '1 % (1 of 100) of all calls failed in the last 10 minutes',
  calls: 100,
  errors: 1,
  decides: false,
  tools: [],
  firingAlerts: 0,
  alerts: [],
};
const HEALTHY: Pick<SummaryResponse, 'verdict' | 'sentence' | 'now' | 'freshness'> = {
  verdict: 'healthy',
  sentence: 'Healthy. 1000 calls, 1 % failed.',
  now: NOW,
  freshness: {
    ...{ lastEventAt: '2026-01-05T10:00:00.000Z', serversReporting: 1, pendingCalls: 0 },
    ...{ droppedByProducers: 0, rejectedSpans: 0 },
    pipeline: { ingestLagMs: 0, pendingBatches: 0, quarantineEntries: 0, lastReconciliation: null },
  },
};

function headline(change: Partial<typeof HEALTHY>, staleness?: string): VerdictHeadline {
  // The headline reads nothing else of the summary.
  const summary = { ...HEALTHY, ...change } as SummaryResponse;
  return prepareVerdict(summary, { staleness, time: '10:00:00' });
}

describe('headline of the overview', () => {
  test('a current verdict is shown as the service words it', () => {
    expect(headline({})).toEqual({ verdict: 'healthy', word: 'Healthy.', text: ' 1000 calls, 1 % failed.' });
  });

  test('a verdict that may be out of date is unknown, with its reason and the last verdict', () => {
    const shown = headline({}, 'The store has not responded since 09:59:58.');
    expect([shown.verdict, shown.word]).toEqual(['unknown', 'Unknown.']);
    expect(shown.text).toContain('has not responded');
    expect(shown.note).toBe('Last verdict, at 10:00:00: Healthy. 1000 calls, 1 % failed.');
  });

  test.each<[string, Partial<SummaryResponse['freshness']>, string]>([
    ['Ingest stopped', { notTaking: 'the disk has no space.' }, 'no call is counted any more'],
    ['waiting to be stored', lagging(12_000), 'the store takes no writes'],
  ])('a healthy verdict without the newest calls is unknown: %s, because %s', (text, change) => {
    const shown = headline({ freshness: { ...HEALTHY.freshness, ...change } });
    expect([shown.verdict, shown.text.includes(text)]).toEqual(['unknown', true]);
  });

  test('a batch on its way does not change the verdict', () => {
    expect(headline({ freshness: { ...HEALTHY.freshness, ...lagging(900) } }).verdict).toBe('healthy');
  });

  test('a bad verdict stays, whatever waits to be stored', () => {
    const freshness = { ...HEALTHY.freshness, ...lagging(60_000) };
    expect(headline({ verdict: 'failing', sentence: 'Failing. X fails.', freshness }).verdict).toBe(
      'failing',
    );
  });

  test('a past range that was healthy gives way to what fails now', () => {
    const shown = headline({
      now: { ...NOW, verdict: 'failing', sentence: 'search fails 100 % (80 of 80)' },
    });
    expect(shown).toEqual({
      verdict: 'failing',
      word: 'Failing now.',
      text: ' search fails 100 % (80 of 80).',
      note: 'This range: Healthy. 1000 calls, 1 % failed.',
    });
  });
});

function lagging(ingestLagMs: number): Partial<SummaryResponse['freshness']> {
  const pipeline = { ingestLagMs, pendingBatches: 2, quarantineEntries: 0, lastReconciliation: null };
  return { pendingCalls: 300, pipeline };
}
