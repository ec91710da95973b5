import { describe, expect, test } from 'vitest';
import type { LoopCall } from '../../../src/core/loops/loop-call.ts';
import { DEFAULT_STORM_THRESHOLDS } from '../../../src/core/storms/detect-storm.ts';
import { StormDetector } from '../../../src/core/storms/storm-detector.ts';

const WHERE = { server: 'notes', environment: 'production' };
const START_US = 1_780_000_000_000_000;
const LATEST_US = START_US + 1e15;

interface FailureInput {
  readonly session: string;
  /** Seconds after the start. */
  readonly at: number;
  readonly tool?: string;
  readonly code?: string;
  readonly message?: string;
  readonly outcome?: LoopCall['outcome'];
}

const BASE: LoopCall = {
  traceId: 'f'.repeat(32),
  spanId: '0'.repeat(16),
  serverName: 'notes',
  toolName: 'search',
  startedAtUs: START_US,
  durationUs: 100_000,
  outcome: 'ok',
  errorCode: '',
  errorMessage: '',
  errorArgument: '',
  errorFingerprint: '',
  errorInResult: false,
  fingerprintKeyId: 'k',
  argumentsFingerprint: '',
  argumentsMaskedFingerprint: '',
  argumentFingerprints: {},
  argumentsBytes: 10,
  resultFingerprint: '',
  resultMaskedFingerprint: '',
  resultSimilarity: '',
  resultTrait: '',
  resultLines: 0,
  resultBytes: 10,
};

function feed(watch: StormDetector, calls: readonly FailureInput[]): StormDetector {
  for (const { session, at, tool = 'search', code = '', message = '', outcome } of calls) {
    const failed = code !== '' || message !== '';
    const call = {
      ...BASE,
      toolName: tool,
      startedAtUs: START_US + at * 1e6,
      outcome: outcome ?? (failed ? 'tool_error' : 'ok'),
      errorCode: code,
      errorMessage: message,
    };
    watch.feed({ ...WHERE, session, call }, LATEST_US);
  }
  return watch;
}

const watchStorms = (calls: readonly FailureInput[], over = {}) =>
  feed(new StormDetector({ ...DEFAULT_STORM_THRESHOLDS, ...over }), calls);

const repeatMake = <T>(n: number, make: (at: number) => T | readonly T[]): T[] =>
  Array.from({ length: n }, (_, at) => make(at)).flat() as T[];

/** Each of so many sessions fails so often, in turn, a second apart. */
const failing = (sessions: number, times: number, over: Partial<FailureInput> = {}): FailureInput[] =>
  repeatMake(times, (round) =>
    repeatMake(sessions, (n) => ({ session: `s${n}`, at: round * 10 + n / 10, code: 'HTTP_503', ...over })),
  );

const findStorm = (watch: StormDetector) =>
  watch.storms.map(({ code, sessions, calls, cause }) => `${code} ${sessions}/${calls} ${cause}`);

describe('failures that are a storm', () => {
  test('a failure is a storm when five sessions met it twice and no call succeeds', () => {
    expect(findStorm(watchStorms(failing(5, 2)))).toEqual(['HTTP_503 5/10 server']);
  });

  test('a storm starts as soon as its conditions hold, and not before', () => {
    const calls = failing(5, 2);
    expect(findStorm(watchStorms(calls.slice(0, -1)))).toEqual([]);
    expect(findStorm(watchStorms(failing(4, 9)))).toEqual([]);
  });

  test('one failure is one storm, whatever tools it comes from and however many sessions join', () => {
    const calls = failing(40, 3).map((call, at) => ({ ...call, tool: at % 2 === 0 ? 'search' : 'read' }));
    expect(findStorm(watchStorms(calls))).toEqual(['HTTP_503 40/120 server']);
  });

  test('a storm belongs to the tool when one tool fails alike in all sessions and it is not an outage', () => {
    const calls = failing(6, 2, { code: 'CONFLICT', message: 'Cannot publish "draft 12"' });
    expect(findStorm(watchStorms(calls))).toEqual(['CONFLICT 6/12 tool']);
  });

  test('a storm belongs to the tool also when other sessions use other tools successfully', () => {
    const sound = repeatMake(60, (n) => ({ session: `other${n}`, at: n / 5, tool: 'list' }));
    const calls = [...sound, ...failing(5, 2, { code: 'CONFLICT', message: 'no' })].sort(
      (a, b) => a.at - b.at,
    );
    expect(findStorm(watchStorms(calls))).toEqual(['CONFLICT 5/10 tool']);
  });

  test('a storm is found right after three hundred successful sessions with the same tool', () => {
    const sound = repeatMake(300, (n) => ({ session: `before${n}`, at: n / 10 - 40 }));
    expect(findStorm(watchStorms([...sound, ...failing(5, 2)]))).toEqual(['HTTP_503 5/10 server']);
  });

  test('a storm is found although its messages differ in their variable parts', () => {
    const calls = failing(5, 2).map((call, at) => ({
      ...call,
      code: 'LOCKED',
      message: `row ${at} of "table ${at}" is locked`,
    }));
    expect(findStorm(watchStorms(calls))).toEqual(['LOCKED 5/10 tool']);
  });
});

describe('failures that are not a storm', () => {
  test('a failure that every agent makes once and corrects is not a storm, however many agents there are', () => {
    const calls = repeatMake(200, (n) => [
      { session: `s${n}`, at: n / 10, code: '-32602', message: 'limit is required' },
      { session: `s${n}`, at: n / 10 + 30 },
    ]).sort((a, b) => a.at - b.at);
    expect(findStorm(watchStorms(calls))).toEqual([]);
  });

  test('an intermittent failure whose retry succeeds is not a storm', () => {
    const calls = repeatMake(10, (round) =>
      repeatMake(8, (n) => [
        { session: `s${n}`, at: round * 10 + n / 10, code: 'HTTP_503' },
        { session: `s${n}`, at: round * 10 + 2 + n / 10 },
      ]),
    ).sort((a, b) => a.at - b.at);
    expect(findStorm(watchStorms(calls))).toEqual([]);
  });

  test('a failure is not a storm when most sessions that call the tool succeed', () => {
    const calls = repeatMake(4, (round) => [
      ...repeatMake(6, (n) => ({ session: `bad${n}`, at: round * 10, code: 'DENIED', message: 'no' })),
      ...repeatMake(7, (n) => ({ session: `good${n}`, at: round * 10 + 1 })),
    ]);
    expect(findStorm(watchStorms(calls))).toEqual([]);
  });

  test('a failure is not a storm when its sessions are spread over more than the time window', () => {
    const calls = repeatMake(5, (n) => [
      { session: `s${n}`, at: n * 80, code: 'HTTP_503' },
      { session: `s${n}`, at: n * 80 + 1, code: 'HTTP_503' },
    ]);
    expect(findStorm(watchStorms(calls))).toEqual([]);
    expect(findStorm(watchStorms(calls, { stormMinutes: 6 }))).toEqual(['HTTP_503 5/10 server']);
  });

  test('failures without any known cause are not a storm', () => {
    expect(findStorm(watchStorms(failing(9, 4, { code: 'tool_error' })))).toEqual([]);
  });
});

describe('detected storm', () => {
  const sentenceOf = (watch: StormDetector) => watch.storms[0]?.sentence;

  test('a storm names the failure and the sessions it affects', () => {
    const calls = repeatMake(200, (n) =>
      repeatMake(9, (round) => ({
        session: `s${n}`,
        at: round * 15 + n / 100,
        code: 'HTTP_503',
        tool: n % 2 === 0 ? 'search' : 'read_note',
      })),
    ).sort((a, b) => a.at - b.at);
    expect(sentenceOf(watchStorms(calls))).toBe(
      'notes answers HTTP_503 to 200 sessions for 2 min (1\u2009800 calls, read_note and search): the server fails for everybody who calls it.',
    );
  });

  test('a storm does not claim to affect every session when some succeed', () => {
    const calls = [...failing(9, 1), { session: 'lucky', at: 5 }, ...failing(9, 2).slice(9)];
    expect(sentenceOf(watchStorms(calls))).toContain(
      'the server fails for at least half of the sessions that call it',
    );
  });

  test('a storm ends after its quiet time, and single failures do not extend it', () => {
    const watch = watchStorms(failing(6, 3));
    for (let minute = 1; minute < 12; minute++) {
      feed(
        watch,
        repeatMake(20, (n) => ({ session: `fine${n}`, at: minute * 60 })),
      );
      feed(watch, [{ session: `unlucky${minute}`, at: minute * 60 + 1, code: 'HTTP_503' }]);
    }
    watch.expire(START_US + 720e6);
    expect(watch.storms.filter(({ state }) => state === 'active')).toEqual([]);
  });

  test('a storm keeps its key when it is found again', () => {
    const calls = failing(8, 3);
    const id = watchStorms(calls).storms[0]?.id;
    expect(
      watchStorms([...calls, ...failing(8, 1).map((call) => ({ ...call, at: call.at + 60 }))]).storms[0]?.id,
    ).toBe(id);
  });

  test('a restored storm continues under its key and counts no session twice', () => {
    const calls = failing(8, 3);
    const [record] = watchStorms(calls).storms;
    if (!record) throw new Error('there is no storm');
    const next = new StormDetector(DEFAULT_STORM_THRESHOLDS);
    next.restore(record);
    feed(next, calls);
    next.restoreCounts(
      record.id,
      repeatMake(8, (n) => ({ session: `s${n}`, calls: 3 })),
    );
    expect(next.storms).toEqual([record]);
    feed(
      next,
      failing(9, 1).map((call) => ({ ...call, at: call.at + 40 })),
    );
    expect(next.storms).toMatchObject([{ id: record.id, sessions: 9, calls: 33, state: 'active' }]);
  });
});

describe('loop in several sessions', () => {
  const loop = (n: number, over = {}) => ({
    ...WHERE,
    session: `s${n}`,
    kind: 'repeat',
    tools: ['search'],
    firstUs: START_US + n * 1e6,
    lastUs: START_US + 20e6 + n * 1e6,
    wastedCalls: 6,
    ...over,
  });

  test('a loop of five sessions on one tool is a storm of the tool', () => {
    const watch = new StormDetector(DEFAULT_STORM_THRESHOLDS);
    for (let n = 0; n < 4; n++) watch.feedLoop(loop(n));
    expect(watch.storms).toEqual([]);
    watch.feedLoop(loop(4));
    watch.feedLoop(loop(4, { wastedCalls: 8 }));
    expect(watch.storms).toMatchObject([
      { kind: 'loop', code: 'repeat', sessions: 5, calls: 32, cause: 'tool' },
    ]);
    expect(watch.storms[0]?.sentence).toBe(
      '5 sessions of notes go round in the same loop within 24 s (repeat of search, 32 calls wasted).',
    );
  });

  test('a loop is not a storm when the loops differ or one session has them all', () => {
    const watch = new StormDetector(DEFAULT_STORM_THRESHOLDS);
    for (let n = 0; n < 9; n++) watch.feedLoop(loop(n, { tools: [`tool ${n % 3}`] }));
    for (let n = 0; n < 9; n++) watch.feedLoop(loop(n, { session: 's', kind: 'cycle' }));
    expect(watch.storms).toEqual([]);
  });
});
