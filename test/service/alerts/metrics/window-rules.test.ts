// Rules over windows on scripted minutes: each fires once, holds, is resolved, and its near misses do not fire.
// Minutes are counted from a start; a window ends at its last minute.
import { describe, expect, test } from 'vitest';
import type { RuleEvent } from '../../../../src/contract/alert-rule-kinds.ts';
import type { MetricRow } from '../../../../src/core/model/metric-row.ts';
import { describeRule } from '../../../../src/service/alerts/describe-rule.ts';
import { backtestRule } from '../../../../src/service/alerts/metrics/backtest-rule.ts';
import {
  evaluateWindowRule,
  evaluateWindowRules,
} from '../../../../src/service/alerts/metrics/evaluate-window-rules.ts';
import type { RuleEventRecord, WindowFacts } from '../../../../src/service/alerts/metrics/window-facts.ts';
import { failingMinutes, MINUTE, metricRow, range, START, windowRule } from './made-traffic.ts';

const ERRORS = { kind: 'metric', metric: 'error_rate', threshold: 0.1, keepFiringFor: '0s' };

async function firingsOf(rule: object, rows: readonly MetricRow[], minutes = 60) {
  const history = { rows: rows.toSorted((a, b) => a.startMs - b.startMs), hours: [], events: [] };
  const evaluated = { fromMs: START, toMs: START + minutes * MINUTE };
  const { firings } = await backtestRule(windowRule(rule), history, evaluated);
  const toMinute = (ms: number | null) => (ms === null ? null : (ms - START) / MINUTE);
  return firings.map(({ firedMs, resolvedMs }) => [toMinute(firedMs), toMinute(resolvedMs)]);
}

const latency = (minutes: readonly number[], ms: number) =>
  minutes.map((minute) => metricRow(minute, { calls: 20, durations: new Map([[ms * 1_000, 20]]) }));

describe('a rule over a metric', () => {
  test.each([
    {
      rule: ERRORS,
      rows: [
        ...failingMinutes(range(0, 20), {}),
        ...failingMinutes(range(20, 30), { failed: 10 }),
        ...failingMinutes(range(30, 60), {}),
      ],
      fires: [[22, 34]],
      because: 'the second bad minute makes 20 of 100 calls; the window has one bad minute left at 34',
    },
    {
      rule: ERRORS,
      rows: [
        ...failingMinutes(range(0, 20), {}),
        ...failingMinutes([20], { failed: 10 }),
        ...failingMinutes(range(21, 60), {}),
      ],
      fires: [],
      because: 'exactly 10 % is not more than 10 %',
    },
    {
      rule: { ...ERRORS, op: '>=' },
      rows: [
        ...failingMinutes(range(0, 20), {}),
        ...failingMinutes([20], { failed: 10 }),
        ...failingMinutes(range(21, 60), {}),
      ],
      fires: [[21, 26]],
      because: 'exactly 10 % is at least 10 %, until the minute leaves the window',
    },
    {
      rule: { ...ERRORS, window: '1m', for: '3m' },
      rows: [
        ...failingMinutes(range(0, 20), {}),
        ...failingMinutes(range(20, 30), { failed: 10 }),
        ...failingMinutes(range(30, 60), {}),
      ],
      fires: [[24, 31]],
      because: 'the condition holds from 21 on, and for three minutes at 24',
    },
    {
      rule: { ...ERRORS, window: '1m', for: '3m' },
      rows: [
        ...failingMinutes(range(0, 20), {}),
        ...failingMinutes(range(20, 23), { failed: 10 }),
        ...failingMinutes(range(23, 60), {}),
      ],
      fires: [],
      because: 'it held at 21, 22 and 23 only',
    },
    {
      rule: { ...ERRORS, window: '1m', keepFiringFor: '5m' },
      rows: [20, 24]
        .flatMap((at) => failingMinutes([at], { failed: 10 }))
        .concat(failingMinutes([...range(0, 20), 21, 22, 23, ...range(25, 60)], {})),
      fires: [[21, 30]],
      because: 'the gap is shorter than keepFiringFor, so it is one alert',
    },
    {
      rule: { ...ERRORS, minCalls: 20 },
      rows: failingMinutes(range(0, 60), { calls: 3, failed: 3 }),
      fires: [],
      because: 'five minutes have 15 calls, too few to tell',
    },
    {
      rule: { ...ERRORS, metric: 'client_error_rate' },
      rows: failingMinutes(range(0, 60), { failed: 10 }),
      fires: [],
      because: 'the errors are those of the server',
    },
    {
      rule: { ...ERRORS, metric: 'client_error_rate' },
      rows: failingMinutes(range(0, 60), { failed: 10, fault: 'client' }),
      fires: [[1, null]],
      because: 'the errors are those of the agent, and do not end',
    },
    {
      rule: { ...ERRORS, match: { tool: ['search'] } },
      rows: failingMinutes(range(0, 60), { failed: 10 }),
      fires: [],
      because: 'another tool fails',
    },
    {
      rule: { ...ERRORS, match: { code: ['HTTP_404'] } },
      rows: failingMinutes(range(0, 60), { failed: 10 }),
      fires: [],
      because: 'it fails with another code',
    },
    {
      rule: { kind: 'metric', metric: 'p95', threshold: 500, keepFiringFor: '0s' },
      rows: [...latency(range(0, 20), 100), ...latency(range(20, 25), 900), ...latency(range(25, 60), 100)],
      fires: [[21, 30]],
      because: 'one slow minute of five is more than 5 % of the calls',
    },
    {
      rule: { kind: 'metric', metric: 'p50', threshold: 500 },
      rows: [...latency(range(0, 20), 100), ...latency(range(20, 22), 900), ...latency(range(22, 60), 100)],
      fires: [],
      because: 'two slow minutes of five leave the median as it is',
    },
    {
      rule: { kind: 'metric', metric: 'calls', op: '>', threshold: 150, keepFiringFor: '0s' },
      rows: [
        ...failingMinutes(range(0, 20), {}),
        ...failingMinutes(range(20, 22), { calls: 60 }),
        ...failingMinutes(range(22, 60), {}),
      ],
      fires: [[22, 26]],
      because: '3 minutes of 20 and 2 of 60 are 180 calls; at 26 one of the two has left the window',
    },
    {
      rule: { kind: 'metric', metric: 'calls', op: '<', threshold: 1, window: '10m', keepFiringFor: '0s' },
      rows: failingMinutes([...range(0, 20), ...range(40, 60)], {}),
      fires: [[30, 41]],
      because: 'silence: the last call is older than ten minutes',
    },
    {
      rule: { kind: 'metric', metric: 'calls', op: '<', threshold: 1, window: '10m' },
      rows: failingMinutes([...range(0, 20), ...range(29, 60)], {}),
      fires: [],
      because: 'nine minutes without a call are not ten',
    },
    {
      rule: { kind: 'metric', metric: 'calls', op: '<', threshold: 300, window: '10m' },
      rows: failingMinutes(range(5, 15), { calls: 20 }),
      fires: [[16, null]],
      because: 'a tool that has just begun is not too quiet until a window has passed',
    },
    {
      rule: { kind: 'metric', metric: 'blocked_rate', threshold: 0.05, keepFiringFor: '0s' },
      rows: range(0, 60).map((minute) => metricRow(minute, { calls: 20, blocked: minute === 30 ? 10 : 0 })),
      fires: [[31, 36]],
      because: '10 of 100 calls were blocked',
    },
    {
      rule: { kind: 'metric', metric: 'would_block_rate', threshold: 0.05, keepFiringFor: '0s' },
      rows: range(0, 60).map((minute) => metricRow(minute, { calls: 20, wouldBlock: minute === 30 ? 5 : 0 })),
      fires: [],
      because: '5 of 100 calls are not more than 5 %',
    },
    {
      rule: { kind: 'metric', metric: 'correct_call_rate', op: '<', threshold: 0.9, keepFiringFor: '0s' },
      rows: range(0, 60).map((minute) =>
        metricRow(minute, { calls: 20, wrongCalls: minute === 30 ? 11 : 0 }),
      ),
      fires: [[31, 36]],
      because: '89 of 100 calls were correct',
    },
    {
      rule: { kind: 'metric', metric: 'correct_call_rate', op: '<', threshold: 0.9 },
      rows: range(0, 60).map((minute) =>
        metricRow(minute, { calls: 20, wrongCalls: minute === 30 ? 10 : 0 }),
      ),
      fires: [],
      because: '90 of 100 calls are not fewer than 90 %',
    },
    {
      rule: {
        ...{ kind: 'metric', metric: 'result_use_rate', op: '<', threshold: 0.3, keepFiringFor: '0s' },
        per: ['server'],
      },
      rows: range(0, 60).flatMap((minute) => [
        metricRow(minute, { calls: 50 }),
        metricRow(minute, {
          tool: '',
          calls: 0,
          results: 10,
          usedResults: minute >= 20 && minute < 25 ? 1 : 4,
        }),
      ]),
      fires: [[22, 29]],
      because: 'two minutes of 1 of 10 and three of 4 of 10 are 14 of 50 results; one and four are 17',
    },
    {
      rule: { kind: 'metric', metric: 'result_use_rate', op: '<', threshold: 0.3, per: ['server'] },
      rows: range(0, 60).flatMap((minute) => [
        metricRow(minute, { calls: 50 }),
        metricRow(minute, { tool: '', calls: 0, results: 3, usedResults: 0 }),
      ]),
      fires: [],
      because: 'five minutes have 15 results, too few to tell, however many calls there are',
    },
    {
      rule: { kind: 'metric', metric: 'recovery_rate', op: '<', threshold: 0.5, keepFiringFor: '0s' },
      rows: range(0, 60).flatMap((minute) => [
        metricRow(minute, { calls: 50 }),
        metricRow(minute, {
          calls: 0,
          ...{ code: 'HTTP_500', followedErrors: 10, recoveredErrors: minute >= 20 && minute < 25 ? 1 : 6 },
        }),
      ]),
      fires: [[22, 29]],
      because:
        'two minutes of 1 of 10 and three of 6 of 10 are 20 of 50 errors; one and four are 25, which is half',
    },
    {
      rule: { kind: 'metric', metric: 'recovery_rate', op: '<', threshold: 0.5 },
      rows: range(0, 60).flatMap((minute) => [
        metricRow(minute, { calls: 50 }),
        metricRow(minute, { calls: 0, followedErrors: 3 }),
      ]),
      fires: [],
      because: 'five minutes have 15 errors, too few to tell, however many calls there are',
    },
    {
      rule: {
        ...{ kind: 'metric', metric: 'recovery_rate', op: '<', threshold: 0.5, per: ['tool', 'code'] },
        match: { code: ['HTTP_404', 'HTTP_500'] },
      },
      rows: range(0, 60).flatMap((minute) => [
        metricRow(minute, { calls: 0, code: 'HTTP_404', followedErrors: 10, recoveredErrors: 5 }),
        metricRow(minute, { calls: 0, code: 'HTTP_500', followedErrors: 10, recoveredErrors: 9 }),
        metricRow(minute, { calls: 0, code: 'HTTP_503', followedErrors: 10 }),
      ]),
      fires: [],
      because: 'each of the two codes was recovered from in at least half of its own errors',
    },
    {
      rule: { kind: 'metric', metric: 'wasted_calls', threshold: 40, keepFiringFor: '0s' },
      rows: [metricRow(10, { calls: 0, wastedCalls: 50 })],
      fires: [[11, 16]],
      because: 'a loop that ended in this minute wasted 50 calls',
    },
  ])('fires at $fires: $because', async ({ rule, rows, fires }) => {
    expect(await firingsOf(rule, rows)).toEqual(fires);
  });

  test('each combination of the labels in `per` is an alert of its own', async () => {
    const rows = ['create_order', 'search', 'fine'].flatMap((tool) =>
      failingMinutes(range(0, 10), { tool, failed: tool === 'fine' ? 0 : 10 }),
    );
    expect(await firingsOf(ERRORS, rows, 10)).toHaveLength(2);
    expect(await firingsOf({ ...ERRORS, per: ['server'] }, rows, 10)).toHaveLength(1);
  });

  test('the rate of a code is a share of all calls of the tool, not of those with the code', () => {
    const rows = [
      ...failingMinutes(range(0, 5), { calls: 20, failed: 4 }),
      ...failingMinutes(range(0, 5), { calls: 2, failed: 2, code: 'HTTP_404', fault: 'client' }),
    ];
    const rule = windowRule({ ...ERRORS, per: ['tool', 'code'], threshold: 0.05 });
    const found = evaluateWindowRule(rule, facts({ rows }));
    expect(found?.map(({ labels, value }) => [labels['code'], Number(value.toFixed(3))])).toEqual([
      ['HTTP_500', 0.182],
      ['HTTP_404', 0.091],
    ]);
  });
});

function facts(over: Partial<WindowFacts> = {}): WindowFacts {
  return {
    endMs: START + 5 * MINUTE,
    rows: [],
    active: [],
    usual: new Map(),
    events: [],
    pipeline: undefined,
    isIncomplete: () => false,
    ...over,
  };
}

describe('what is not known', () => {
  const silence = windowRule({ kind: 'metric', metric: 'calls', op: '<', threshold: 1 });
  const { server, environment, tool, client, version } = metricRow(0);
  const active = [{ server, environment, tool, client, version, firstMs: START - 60 * MINUTE }];

  test('a window in which calls may be missing is not silent', () => {
    expect(evaluateWindowRule(silence, facts({ active }))).toHaveLength(1);
    expect(evaluateWindowRule(silence, facts({ active, isIncomplete: () => true }))).toEqual([]);
  });

  test('without the state of the pipeline, a rule about it says nothing; with it, it compares', () => {
    const rule = windowRule({ kind: 'metric', metric: 'ingest_lag_seconds', threshold: 60 });
    expect(evaluateWindowRules([rule], facts()).has(rule.id)).toBe(false);
    const pipeline = { ingest_lag_seconds: 61 };
    expect(evaluateWindowRule(rule, facts({ pipeline }))).toMatchObject([
      { value: 61, sentence: 'The lag of the ingest in seconds is 61; the rule allows no value > 60.' },
    ]);
    expect(evaluateWindowRule(rule, facts({ pipeline: { ingest_lag_seconds: 60 } }))).toEqual([]);
  });
});

describe('a rule about an event of each kind', () => {
  const EVENTS = [
    ['new_error_code', { tool: 'create_order', code: 'HTTP_503' }],
    ['breaking_definition', { tool: 'create_order' }],
    ['tool_removed', { tool: 'create_order' }],
    ['new_client', { client: 'cursor' }],
    ['incident', { tool: 'create_order', code: 'HTTP_503' }],
  ] as const;

  async function firingsAt(event: RuleEvent, over: Partial<RuleEventRecord>, match = {}) {
    const rule = windowRule({ kind: 'event', event, window: '10m', keepFiringFor: '2m', match });
    const record = {
      server: 'shop',
      environment: 'production',
      tool: '',
      code: '',
      client: '',
      sentence: 's',
    };
    const events = [{ event, ...record, ...over, atMs: START + 20 * MINUTE + 1 }];
    const evaluated = { fromMs: START, toMs: START + 60 * MINUTE };
    const { firings } = await backtestRule(rule, { rows: [], hours: [], events }, evaluated);
    return firings.map(({ firedMs, resolvedMs }) =>
      [firedMs, resolvedMs ?? 0].map((ms) => (ms - START) / MINUTE),
    );
  }

  test.each(EVENTS)('%s fires once, holds for a window, and is resolved', async (event, labels) => {
    expect(await firingsAt(event, { event, ...labels })).toEqual([[21, 32]]);
  });

  test.each(EVENTS)('%s does not fire for another event, server or tool', async (event, labels) => {
    const other = event === 'incident' ? 'new_client' : 'incident';
    expect(await firingsAt(event, { ...labels, event: other })).toEqual([]);
    expect(await firingsAt(event, { event, ...labels }, { server: ['notes'] })).toEqual([]);
    expect(await firingsAt(event, { event, ...labels }, { tool: ['search'] })).toEqual([]);
  });
});

describe('a rule about an event', () => {
  const record = {
    event: 'new_error_code',
    server: 'shop',
    environment: 'production',
    tool: 'create_order',
    code: 'HTTP_503',
    client: '',
    sentence: 'New error code HTTP_503 in create_order',
  } as const;
  const rule = windowRule({ kind: 'event', event: 'new_error_code', window: '5m' });

  test.each([
    { atMs: START, found: 1, because: 'the window begins with it' },
    { atMs: START + 5 * MINUTE, found: 0, because: 'it belongs to the next window' },
    { atMs: START - 1, found: 0, because: 'the window has passed' },
  ])('an event at $atMs is found $found times: $because', ({ atMs, found }) => {
    expect(evaluateWindowRule(rule, facts({ events: [{ ...record, atMs }] }))).toHaveLength(found);
  });

  test('another event and another tool do not match', () => {
    const events = [{ ...record, atMs: START }];
    expect(evaluateWindowRule({ ...rule, event: 'tool_removed' } as typeof rule, facts({ events }))).toEqual(
      [],
    );
    const narrow = windowRule({ kind: 'event', event: 'new_error_code', match: { tool: ['search'] } });
    expect(evaluateWindowRule(narrow, facts({ events }))).toEqual([]);
  });
});

test.each([
  {
    entry: {
      kind: 'metric',
      metric: 'p95',
      threshold: 500,
      window: '1h',
      per: ['tool'],
      match: { tool: ['search'] },
    },
    sentence: 'The p95 of 1 h per tool is > 500 ms, with at least 20 calls; tool search.',
  },
  {
    entry: { kind: 'metric', metric: 'recovery_rate', op: '<', threshold: 0.5, per: [] },
    sentence: 'The rate of recovery from errors of 5 min is < 50 %, with at least 20 errors.',
  },
  {
    entry: { kind: 'metric', metric: 'disk_free_bytes', op: '<', threshold: 7 },
    sentence: 'The free disk space in bytes is < 7.',
  },
  {
    entry: { kind: 'changed', metric: 'error_rate', per: [], minCalls: 1 },
    sentence: 'The error rate of 5 min is higher than usual at this hour of the week, with at least 1 call.',
  },
])('a rule is described: $sentence', ({ entry, sentence }) => {
  expect(describeRule(windowRule(entry))).toBe(sentence);
});
