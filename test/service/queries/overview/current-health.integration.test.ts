// The verdict of now beside that of a range: the rule as a table, and an outage of ten minutes in a week on a real engine.
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Queries } from '../../../../src/contract/queries.ts';
import { SummaryResponse } from '../../../../src/contract/summary.ts';
import {
  assessCurrentHealth,
  type CurrentStats,
} from '../../../../src/service/queries/overview/current-health.ts';
import { createQueries } from '../../../../src/service/queries/queries.ts';
import type { FiringAlert } from '../../../../src/service/queries/query/query-context.ts';
import { createSeededCall, toStoredRow } from '../../../support/dataset/seeded-calls.ts';
import { insertRows, startTestEngine, type TestEngine } from '../../../support/engine.ts';

const MINUTE = 60_000;
const DAY = 86_400_000;
const NOW = Math.floor(Date.now() / 3_600_000) * 3_600_000 + 30 * MINUTE;

const tool = (name: string, errors: number, calls: number) => ({
  ...{ server: 'units', tool: name },
  ...{ errors, calls },
});
const alert = (kind: FiringAlert['kind'], server = 'units'): FiringAlert => ({
  ...{ rule: `rule-${kind}`, kind, server, environment: '', client: '', tools: [] },
  sentence: `A ${kind}.`,
});

function healthStats(tools: CurrentStats['tools'], more: Partial<CurrentStats> = {}): CurrentStats {
  const sum = (of: 'calls' | 'errors') => tools.reduce((all, one) => all + one[of], 0);
  return {
    ...{ tools, calls: sum('calls'), errors: sum('errors') },
    ...{ alerts: [], activeLoops: 0, isOneServer: true },
    ...more,
  };
}

describe('the last ten minutes', () => {
  const busy = tool('busy', 0, 100_000);
  test.each<[ReturnType<typeof assessCurrentHealth>['verdict'], string, CurrentStats]>([
    [
      'failing',
      'one tool always fails, though that hardly changes the rate of all calls',
      healthStats([busy, tool('x', 80, 80)]),
    ],
    ['failing', 'five of five calls fail', healthStats([busy, tool('x', 5, 5)])],
    ['healthy', 'four errors are no outage', healthStats([busy, tool('x', 4, 4)])],
    ['degraded', 'a tool fails in more than a fifth of its calls', healthStats([busy, tool('x', 30, 80)])],
    ['healthy', 'a fifth of the calls fail, which may be chance', healthStats([busy, tool('x', 16, 80)])],
    [
      'failing',
      'no single tool fails, but all of them together do',
      healthStats([1, 2, 3, 4, 5, 6, 7, 8].map((n) => tool(`t${n}`, 4, 12))),
    ],
    ['healthy', 'one of twenty calls fails, which may be chance', healthStats([tool('x', 1, 20)])],
    ['looping', 'an agent is looping', healthStats([busy], { activeLoops: 1 })],
    ['looping', 'an alert of a loop fires', healthStats([busy], { alerts: [alert('suspected_loop')] })],
    ['degraded', 'an alert of a storm fires', healthStats([], { alerts: [alert('storm')] })],
    [
      'healthy',
      'only an alert of a long session fires',
      healthStats([busy], { alerts: [alert('session_over_calls')] }),
    ],
    ['quiet', 'nothing was called', healthStats([])],
  ])('the last ten minutes are %s when %s', (verdict, _because, given) => {
    expect(assessCurrentHealth(given).verdict).toBe(verdict);
  });

  test('the sentence on the last ten minutes names the worst tool with its stats, and counts the others', () => {
    const given = healthStats([tool('a', 20, 40), tool('b', 80, 80), tool('fine', 0, 50)]);
    expect(assessCurrentHealth(given).sentence).toBe(
      'b fails 100 % (80 of 80) in the last 10 minutes; 1 more tool fails',
    );
    expect(assessCurrentHealth({ ...given, isOneServer: false }).sentence).toMatch(/^units\/b fails /);
  });
});

describe('range during a current outage', () => {
  let engine: TestEngine;
  let questions: Queries;
  const failure = { outcome: 'exception', fault: 'server', error_code: 'X' } as const;
  const make = (tool_name: string, minutesAgo: number, over: object, count: number) =>
    Array.from({ length: count }, (_, at) =>
      createSeededCall({
        startedUs: (NOW - minutesAgo * MINUTE + at * 1_000) * 1_000,
        ...{ tool_name, server_name: 'units', session_id: `s-${at % 5}` },
        ...over,
      }),
    );

  beforeAll(async () => {
    engine = await startTestEngine();
    const rows = [
      ...[1, 2, 3, 4, 5].flatMap((days) => make('search', days * 1_440, {}, 400)),
      ...make('convert_units', 8, failure, 80),
      // A day earlier all was well with it.
      ...make('convert_units', 1_440, {}, 80),
    ];
    await insertRows(engine.store, 'calls', rows.map(toStoredRow));
    const firing = [alert('storm'), { ...alert('session_over_calls'), server: 'other' }];
    questions = createQueries({
      store: engine.store,
      clock: () => NOW,
      freshness: () => ({ pendingCalls: 0, droppedByProducers: 0, rejectedSpans: 0 }),
      firingAlerts: () => firing,
    });
  });
  afterAll(() => engine?.stop());

  const ask = async (from: number, to: number, server?: string) =>
    SummaryResponse.parse(await questions.summary({ range: { fromMs: NOW - from, toMs: NOW - to }, server }));

  test('a range of any length that ends now is failing during an outage, and has both rates and the alerts', async () => {
    const { verdict, sentence, now } = await ask(7 * DAY, 0);
    expect([verdict, sentence]).toEqual([
      'failing',
      'Failing. convert_units fails 100 % (80 of 80) in the last 10 minutes; ' +
        '3.7 % (80 of 2\u202f160) in the whole range; 2 alerts are firing.',
    ]);
    expect(now).toMatchObject({
      ...{ decides: true, verdict: 'failing', calls: 80, errors: 80, firingAlerts: 2 },
      tools: [{ server: 'units', tool: 'convert_units', calls: 80, errors: 80 }],
    });
  });

  test('a range in the past has its own verdict next to the one of now', async () => {
    const { verdict, now } = await ask(7 * DAY, DAY / 2);
    expect([verdict, now?.verdict, now?.decides]).toEqual(['healthy', 'failing', false]);
  });

  test('the current health lists the alerts of the servers that are selected', async () => {
    const { now } = await ask(7 * DAY, 0, 'units');
    expect(now?.alerts.map(({ rule }) => rule)).toEqual(['rule-storm']);
  });
});
