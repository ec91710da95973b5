// The arithmetic of the sessions' pages: what changed between two calls, pauses, the lines of the timeline, the chips, and the
// text for an issue.
import { describe, expect, test } from 'vitest';
import {
  compareCalls,
  compareWithPreviousCalls,
  isSameCall,
} from '../../dashboard/src/pages/session/compare-calls.ts';
import { compareShapes, formatShape } from '../../dashboard/src/pages/session/compare-shapes.ts';
import {
  describeSession,
  describeSessionOutcome,
} from '../../dashboard/src/pages/session/describe-session.ts';
import { formatSessionMarkdown } from '../../dashboard/src/pages/session/format-session-markdown.ts';
import {
  findPauseThreshold,
  formatPause,
  preparePauseLabels,
  preparePauses,
} from '../../dashboard/src/pages/session/prepare-pauses.ts';
import { prepareRuns } from '../../dashboard/src/pages/session/prepare-runs.ts';
import {
  findRunKey,
  isJumpTarget,
  prepareTimelineRows,
  type TimelineRow,
} from '../../dashboard/src/pages/session/prepare-timeline-rows.ts';
import { prepareWaterfall } from '../../dashboard/src/pages/session/prepare-waterfall.ts';
import {
  describeSessionFilter,
  describeSessionsBeyondRange,
  describeUncalledSessions,
  prepareHistogram,
  prepareSessionKindChips,
} from '../../dashboard/src/pages/sessions/prepare-session-kinds.ts';
import { toCallKey } from '../../dashboard/src/view/call-key.ts';
import { type SessionCallRow, SessionRow } from '../../src/contract/sessions.ts';
import { createLoops } from './fixture-loops.ts';
import { createSessionCalls } from './fixture-session-calls.ts';
import { countSessions } from './fixture-sessions.ts';

const ALL = createSessionCalls(Date.UTC(2026, 10, 21, 12));
const of = (id: string): SessionCallRow[] => ALL.filter(({ sessionId }) => sessionId === id);
const plain = (text: string): string => text.replaceAll('\u202f', ' ');
const [TEMPLATE] = of('two-keys');

function call(over: Partial<SessionCallRow> = {}): SessionCallRow {
  if (!TEMPLATE) throw new Error('the fixture has no calls');
  return { ...TEMPLATE, argumentsFingerprint: 'a1', resultFingerprint: 'b1', ...over };
}

describe('comparison of two calls to one tool', () => {
  const prints = (argumentFingerprints: Record<string, string>) => ({ argumentFingerprints });
  test.each<[Partial<SessionCallRow>, Partial<SessionCallRow>, string, string, string]>([
    [{}, {}, 'equal', 'equal', 'both fingerprints are equal'],
    [{}, { argumentsFingerprint: 'a2' }, 'different', 'equal', 'other arguments, and the answer stayed'],
    [{}, { resultFingerprint: 'b2' }, 'equal', 'different', 'the answer moved on'],
    [{ argumentsFingerprint: '' }, {}, 'unknown', 'equal', 'what was not collected is not the same'],
    [{}, { resultFingerprint: '0000' }, 'equal', 'unknown', 'zero stands for none'],
    [{}, { fingerprintKeyId: 'k9' }, 'incomparable', 'incomparable', 'keys differ, so equal says nothing'],
    [
      {},
      { outcome: 'timeout', fingerprintKeyId: 'k9' },
      'incomparable',
      'different',
      'an outcome needs no key',
    ],
    [
      { argumentsMaskedFingerprint: 'm', resultMaskedFingerprint: 'n' },
      {
        argumentsFingerprint: 'a2',
        argumentsMaskedFingerprint: 'm',
        resultFingerprint: 'b2',
        resultMaskedFingerprint: 'n',
      },
      'masked',
      'masked',
      'only times or ids differ',
    ],
    [
      { fault: 'server', outcome: 'tool_error', errorMessage: 'gone' },
      { fault: 'server', outcome: 'tool_error', errorMessage: 'gone', resultFingerprint: '' },
      'equal',
      'failure',
      'errors are compared by their template',
    ],
    [
      { fault: 'server', outcome: 'tool_error', errorMessage: 'gone' },
      { fault: 'server', outcome: 'tool_error', errorMessage: 'late', resultFingerprint: 'b2' },
      'equal',
      'different',
      'another message is another answer',
    ],
  ])(
    'for %j and %j the arguments are %s and the result %s, because %s',
    (before, after, expected, answer) => {
      const compared = compareCalls(call(before), call(after));
      expect([compared.arguments, compared.result]).toEqual([expected, answer]);
    },
  );

  test('failures with the same message are the same, compared alone and in a run, even if their results differ', () => {
    const failed = {
      fault: 'server',
      outcome: 'tool_error',
      code: 'HTTP_502',
      errorMessage: 'bad gateway',
    } as const;
    const [one, other] = [
      call({ ...failed, resultBytes: 80 }),
      call({ ...failed, resultBytes: 80, resultFingerprint: 'b2' }),
    ];
    expect(compareCalls(one, other).result).toBe('failure');
    expect(prepareRuns([one, other])).toMatchObject([{ calls: [one, other], result: 'failure' }]);
  });

  test('the comparison names the arguments that were changed, added and removed', () => {
    const before = call({ ...prints({ a: '1', b: '2', c: '3' }) });
    const after = call({ argumentsFingerprint: 'a2', ...prints({ a: '1', b: '9', d: '4' }) });
    expect(compareCalls(before, after)).toMatchObject({ changed: ['b'], added: ['d'], removed: ['c'] });
    expect(compareCalls(before, call(prints({ b: '9' })))).toMatchObject({
      changed: [],
      added: [],
      removed: [],
    });
  });

  test('calls fingerprinted with different keys are never the same call', () => {
    expect(isSameCall(call(), call())).toBe(true);
    expect(isSameCall(call(), call({ fingerprintKeyId: 'k9' }))).toBe(false);
  });

  test('each call is compared with the last call of its tool, whatever came between', () => {
    const calls = of('drifting-limit');
    const repeats = compareWithPreviousCalls(calls);
    const [first, second, third] = calls.filter(({ tool }) => tool === 'search_issues');
    expect(repeats.get(toCallKey(first!))).toBeUndefined();
    expect(repeats.get(toCallKey(second!))).toMatchObject({
      previous: first,
      changed: ['limit'],
      result: 'failure',
    });
    expect(repeats.get(toCallKey(third!))).toMatchObject({
      previous: second,
      changed: ['limit'],
      added: ['page'],
      result: 'different',
    });
    const created = calls.find(({ tool }) => tool === 'create_issue');
    expect(repeats.has(toCallKey(created!))).toBe(false);
  });
});

describe('comparison of shapes', () => {
  test.each<[string, string, Record<string, string>, Record<string, string>, boolean, string[], string]>([
    ['{"a":"int"}', '{"a":"int"}', { a: '1' }, { a: '2' }, false, ['a changed'], 'the value is another one'],
    ['{"a":"int"}', '{"a":"int"}', { a: '1' }, { a: '1' }, false, ['a same'], 'the value is the same'],
    ['{"a":"int"}', '{"a":"int"}', {}, {}, false, ['a alike'], 'nobody knows the value'],
    ['{"a":"int"}', '{"a":"int"}', {}, {}, true, ['a same'], 'the whole is known to be the same'],
    ['{"a":"int"}', '{"b":"int"}', {}, {}, false, ['a removed', 'b added'], 'one went and one came'],
    ['{"a":"string:3"}', '{"a":"string:4"}', {}, {}, false, ['a changed'], 'the length is another one'],
    ['[2,"int"]', '[3,"int"]', {}, {}, false, [' changed'], 'a list has no keys'],
    ['{"a":"in', '{"a":"in', {}, {}, false, [' alike'], 'cut off at its bound'],
    ['', '', {}, {}, false, [], 'none was collected'],
  ])(
    'for %s and %s with %j and %j, all the same %s, the changes are %j because %s',
    (before, now, was, is, isSame, expected) => {
      const rows = compareShapes(
        { previous: before, now },
        { fingerprints: { previous: was, now: is }, isSame },
      );
      expect(rows.map(({ name, state }) => `${name} ${state}`)).toEqual(expected);
    },
  );

  test.each([
    ['string:12', 'text of 12'],
    ['=open', 'open'],
    ['int', 'int'],
    [true, 'true'],
    [[3, 'int'], '3 × int'],
    [[0], '0 items'],
    [{ a: [2, { b: 'string:1' }] }, '{ a: 2 × { b: text of 1 } }'],
    ['object:4', 'object of 4'],
  ])('the shape %j is shown as %s', (shape, expected) => {
    expect(formatShape(shape)).toBe(expected);
  });
});

describe('pauses between calls', () => {
  /** Calls as start and duration in seconds. */
  const timed = (...pairs: readonly (readonly [number, number])[]) =>
    pairs.map(([start, took]) => ({
      startedAt: new Date(start * 1_000).toISOString(),
      durationMs: took * 1_000,
    }));

  test.each([
    [timed([0, 1], [5, 1]), [undefined, 4_000], 'from the end to the next start'],
    [timed([0, 10], [2, 1], [12, 1]), [undefined, undefined, 2_000], 'the longest of parallel calls counts'],
    [timed([0, 1], [1, 1]), [undefined, 0], 'back to back is no pause'],
  ])('the pauses of %j are %j because %s', (calls, expected) => {
    expect(preparePauses(calls)).toEqual(expected);
  });

  test.each([
    [[undefined, 1_000, 2_000, 3_000], 10_000, 'below ten seconds none has a line'],
    [[undefined, 8_000, 8_000, 8_000], 24_000, 'an agent that always thinks long has to think longer'],
    [[undefined, 90_000, 90_000], 120_000, 'two minutes always have a line'],
    [[], 10_000, 'there is none'],
  ])('for the pauses %j a pause row needs at least %d ms because %s', (pauses, expected) => {
    expect(findPauseThreshold(pauses)).toBe(expected);
  });

  test.each([
    [12_000, 'agent thinking 12 s'],
    [119_000, 'agent thinking 1 min 59 s'],
    [42 * 60_000, 'nothing for 42 min'],
  ])('a pause of %d ms is described as "%s"', (ms, expected) => {
    expect(plain(formatPause(ms))).toBe(expected);
  });

  test('pauses have a label in the strip where there is space', () => {
    expect(preparePauseLabels(timed([0, 1], [6, 1], [7.5, 2.5]))).toEqual([
      { from: 0.1, width: 0.5, ms: 5_000 },
    ]);
  });
});

describe('rows of a session', () => {
  const none = { loops: [], expandedRuns: new Set<string>() };
  const tell = (line: TimelineRow): string =>
    line.kind === 'pause'
      ? plain(formatPause(line.pauseMs))
      : `${line.position ?? '-'} ${line.kind} ${line.call.tool || line.call.method} ${line.run.calls.length}`;

  test('rows are calls, folded runs and pauses, and rows without a tool call have no number', () => {
    expect(prepareTimelineRows(of('drifting-limit'), none).map(tell)).toEqual([
      '- single initialize 1',
      '- single tools/list 1',
      'agent thinking 12 s',
      '1 single search_issues 1',
      'agent thinking 12 s',
      '2 single search_issues 1',
      'agent thinking 14 s',
      '3 head search_issues 10',
      'agent thinking 1 min 15 s',
      '13 single create_issue 1',
    ]);
  });

  test('the calls of an expanded run follow its first row', () => {
    const calls = of('drifting-limit');
    const key = findRunKey(calls, toCallKey(calls[6]!));
    const lines = prepareTimelineRows(calls, { loops: [], expandedRuns: new Set([key ?? '']) }).map(tell);
    expect(lines).toContain('3 head search_issues 10');
    expect(lines.filter((line) => line.includes('inner'))).toHaveLength(10);
    expect(findRunKey(calls, toCallKey(calls[2]!))).toBeUndefined();
  });

  test('a run with a pause shows its longest pause', () => {
    const [head] = prepareTimelineRows(of('paused-for-an-hour'), none);
    expect(head?.kind === 'head' && head.longestPauseMs).toBe(62 * 60_000);
  });

  test('rows are marked for errors and where a loop begins', () => {
    const calls = of('drifting-limit');
    const run = calls.slice(4, 14);
    const [base] = createLoops(
      run.map((one) => ({ ...one, sessionId: 'to-and-fro-0b9c', method: 'tools/call' })),
    );
    const loop = {
      ...base!,
      onset: run[1]!.startedAt,
      lastAt: run.at(-1)!.startedAt,
      tools: ['search_issues'],
    };
    const lines = prepareTimelineRows(calls, { loops: [loop], expandedRuns: new Set() });
    expect(lines.filter((line) => isJumpTarget(line, 'error')).map(tell)).toEqual([
      '1 single search_issues 1',
      '2 single search_issues 1',
    ]);
    expect(lines.filter((line) => isJumpTarget(line, 'loop')).map(tell)).toEqual(['3 head search_issues 10']);
  });

  test('a loop is marked as begun once, however many rows it has', () => {
    const calls = of('drifting-limit');
    const [base] = createLoops(
      calls.map((one) => ({ ...one, sessionId: 'to-and-fro-0b9c', method: 'tools/call' })),
    );
    const loop = {
      ...base!,
      onset: calls[2]!.startedAt,
      lastAt: calls[9]!.startedAt,
      tools: ['search_issues'],
    };
    const lines = prepareTimelineRows(calls, { loops: [loop], expandedRuns: new Set() });
    const inLoop = lines.filter((line) => line.kind !== 'pause' && line.loop);
    expect(inLoop.map(tell)).toEqual([
      '1 single search_issues 1',
      '2 single search_issues 1',
      '3 head search_issues 10',
    ]);
    expect(lines.filter((line) => isJumpTarget(line, 'loop')).map(tell)).toEqual([
      '1 single search_issues 1',
    ]);
  });

  test('the rows hold every call once, whatever is folded', () => {
    const calls = of('long-work');
    const shown = prepareTimelineRows(calls, none).flatMap((line) =>
      line.kind === 'pause' ? [] : line.kind === 'head' ? line.run.calls : [line.call],
    );
    expect(shown.map(toCallKey)).toEqual(calls.map(toCallKey));
  });

  test('the waterfall positions rows evenly or by time', () => {
    const calls = of('drifting-limit').filter(({ tool }) => tool !== '');
    const even = [...prepareWaterfall(calls, undefined).values()];
    expect(even.map(({ width }) => width)).toEqual(calls.map(() => 1 / 13));
    expect(even[12]?.from).toBeCloseTo(12 / 13);
    const timed = [...prepareWaterfall(calls, 'time').values()];
    const last = timed.at(-1);
    expect(timed[0]?.from).toBe(0);
    expect((last?.from ?? 0) + (last?.width ?? 0)).toBeCloseTo(1);
    expect(last?.from).toBeGreaterThan(0.9);
  });
});

test('results of a run that were not collected are not called different', () => {
  const run = (...results: string[]) =>
    prepareRuns(results.map((resultFingerprint) => call({ resultFingerprint })))[0]?.result;
  expect([run('b1', 'b1'), run('b1', 'b2'), run('', '')]).toEqual(['equal', 'different', 'unknown']);
});

const session = (over: Partial<SessionRow> = {}): SessionRow =>
  SessionRow.parse({
    sessionId: 's',
    source: 'connection',
    confidence: 'medium',
    planId: '',
    server: 'github',
    client: 'cursor',
    calls: 5,
    requests: 7,
    errors: 0,
    tools: [],
    startedAt: '2026-11-21T10:00:00.000000Z',
    endedAt: '2026-11-21T10:01:00.000000Z',
    loops: 0,
    connected: true,
    listedTools: true,
    lastFault: 'none',
    ...over,
  });

describe('outcome and export of a session', () => {
  test.each<[Partial<SessionRow>, string, string, string]>([
    [{}, 'none', 'no error', 'none failed'],
    [{ errors: 2 }, 'muted', 'some failed', 'the newest did not'],
    [{ errors: 2, lastFault: 'client' }, 'client', 'ended in error', 'the newest failed'],
    [{ errors: 5, lastFault: 'server' }, 'server', 'all failed', 'every one did'],
    [{ calls: 1, errors: 1, lastFault: 'server' }, 'server', 'failed', 'one is not all'],
    [{ calls: 0, lastFault: null }, 'muted', 'no call', 'there was none'],
    [{ lastFault: null }, 'muted', 'unknown', 'its calls are older than what keeps how it ended'],
  ])('a session with %j has the outcome %s: %s because %s', (over, tone, words) => {
    expect(describeSessionOutcome(session(over))).toEqual({ tone, text: words });
  });

  test.each<[Partial<SessionRow>, string]>([
    [{}, 'No tool call by cursor: it connected, listed the tools and called nothing, 7 requests in 1 min.'],
    [{ listedTools: false }, 'No tool call by cursor: it connected and called nothing, 7 requests in 1 min.'],
    [{ listedTools: false, connected: false, client: '' }, 'No tool call: 7 requests in 1 min.'],
  ])('a session without a call, %j, is described as %s', (over, expected) => {
    expect(plain(describeSession(session({ calls: 0, ...over }), []))).toBe(expected);
  });

  test('the issue text of a session is folded and holds templates and shapes', () => {
    const calls = of('drifting-limit');
    const text = formatSessionMarkdown({
      response: {
        session: session({ calls: 13, errors: 2 }),
        calls,
        loops: [],
        consideredNotFlagged: { whyNot: null, limits: null, notes: [] },
        nextCursor: null,
      },
      calls,
      url: 'http://127.0.0.1/sessions/s',
    });
    expect(text.split('\n')).toEqual([
      '### 13 tool calls by cursor in 1 min. 10 in a row were the same call of search_issues with the same result, over 20.4 s.',
      '',
      '- Server: github 1.4.2',
      '- Client: cursor 2.3.0',
      expect.stringMatching(/^- Protocol: 20\d\d-\d\d-\d\d stdio$/),
      '- Outcome: some failed; 2 errors',
      '- Session ID: from connection, medium confidence',
      '',
      '| # | Call | Outcome | Duration | Arguments |',
      '| --- | --- | --- | --- | --- |',
      '| 1 | `search_issues` | invalid_arguments `-32602` | 40 ms | `{"query":"string:14","limit":"int"}` |',
      '| | *agent thinking 12 s* | | | |',
      '| 2 | `search_issues` | invalid_arguments `-32602` | 40 ms | `{"query":"string:14","limit":"int"}` |',
      '| | *agent thinking 14 s* | | | |',
      '| 3–12 | `search_issues` ×10, same arguments, same result | ok | 20.4 s | `{"query":"string:14","limit":"int","page":"int"}` |',
      '| | *agent thinking 1 min 15 s* | | | |',
      '| 13 | `create_issue` | ok | 900 ms | `{"title":"string:30"}` |',
      '',
      'Errors:',
      '- `search_issues` ×2: `limit must be <= <n>`; the next call changed `limit`',
      '',
      '[In Toolscope](http://127.0.0.1/sessions/s)',
    ]);
  });

  test('a long issue text is cut in the middle, and no text in it ends a table cell', () => {
    const calls = of('long-work').map((one) => ({ ...one, argumentsShape: '{"a|b":"`int`"}' }));
    const text = formatSessionMarkdown({
      response: {
        session: session({ calls: 300 }),
        calls,
        loops: [],
        consideredNotFlagged: { whyNot: null, limits: null, notes: [] },
        nextCursor: null,
      },
      calls,
      url: '',
    });
    const rows = text.split('\n').filter((line) => line.startsWith('| '));
    expect(rows.length).toBeLessThan(70);
    expect(text).toMatch(/… \d+ lines left out/);
    for (const row of rows) expect(row.replaceAll('\\|', '').split('|')).toHaveLength(7);
  });
});

describe('filters by kind of session', () => {
  const range = { fromMs: Date.UTC(2026, 10, 21, 9, 30), toMs: Date.UTC(2026, 10, 21, 12) };
  const rows = [
    session({ calls: 0 }),
    session({ calls: 1, errors: 1, lastFault: 'server' }),
    session({ calls: 30 }),
    session({ calls: 31, loops: 1 }),
    session({ calls: 400 }),
  ];
  const counts = countSessions(rows, range);

  test('each kind of session has a chip with its count, and one is selected', () => {
    const chips = prepareSessionKindChips({ minCalls: '31' }, counts);
    expect(chips.map(({ label, count }) => `${label} ${count}`)).toEqual([
      'All 5',
      'Over 30 calls 2',
      'Looping 1',
      'All failed 1',
      'Ended in error 1',
      'Long gap 0',
      'One call 1',
      'No call 1',
      'Reconnecting 0',
    ]);
    expect(chips.filter(({ isChosen }) => isChosen).map(({ label }) => label)).toEqual(['Over 30 calls']);
    expect(prepareSessionKindChips({}, undefined)[0]).toMatchObject({
      label: 'All',
      count: undefined,
      isChosen: true,
    });
  });

  test.each([
    [{}, ''],
    [{ minCalls: '31' }, ' with over 30 calls'],
    [{ maxCalls: '0' }, ' without a tool call'],
    [{ minCalls: '5' }, ' with 5 calls or more'],
    [{ minCalls: '2', maxCalls: '3' }, ' with 2 calls or more and with 3 calls or fewer'],
    [{ minCalls: '31', looping: 'true' as const }, ' with 31 calls or more and with a loop'],
    [{ ended: 'error' as const }, ' that ended in an error'],
  ])('the filter %j is described as "sessions%s"', (kind, expected) => {
    expect(describeSessionFilter(kind)).toBe(expected);
  });

  test('the histogram has its line above thirty and reaches the longest session', () => {
    const bars = prepareHistogram(counts);
    expect(bars.map(({ label, sessions }) => `${label}: ${sessions}`)).toEqual([
      '0: 1',
      '1: 1',
      '2–3: 0',
      '4–7: 0',
      '8–15: 0',
      '16–30: 1',
      '31–60: 1',
      '61–120: 0',
      '121–250: 0',
      '251–500: 1',
    ]);
    expect(bars.filter(({ isLong }) => isLong).map(({ label }) => label)[0]).toBe('31–60');
    expect(bars[0]?.filter).toEqual({ maxCalls: '0' });
    expect(prepareHistogram(countSessions([], range)).at(-1)?.label).toBe('16–30');
    expect(prepareHistogram(countSessions([session({ calls: 900 })], range)).at(-1)).toMatchObject({
      label: '501+',
      height: 1,
      filter: { minCalls: '501' },
    });
  });

  test.each([
    [{ sessions: 4, connected: 4, listedTools: 4 }, 'listed the tools only'],
    [{ sessions: 4, connected: 4, listedTools: 0 }, 'connected only'],
    [{ sessions: 4, connected: 3, listedTools: 0 }, '3 connected'],
    [{ sessions: 4, connected: 4, listedTools: 1 }, '4 connected, 1 listed the tools'],
    [{ sessions: 4, connected: 0, listedTools: 0 }, 'requested something other than tools'],
  ])('sessions without a call, %j, are described as: %s', (did, expected) => {
    const row = { server: 's', client: 'c', booting: 0, bootingFrom: null, bootingTo: null, ...did };
    expect(describeUncalledSessions(row)).toBe(expected);
  });

  test('sessions that extend beyond the range are marked', () => {
    expect([describeSessionsBeyondRange(1), describeSessionsBeyondRange(3)].map(plain)).toEqual([
      '1 session extends beyond this range and is counted in full.',
      '3 sessions extend beyond this range and are counted in full.',
    ]);
  });
});
