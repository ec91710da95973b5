import { describe, expect, test } from 'vitest';
import type { LoopCall } from '../../../src/core/loops/loop-call.ts';
import {
  SessionTreeDetector,
  type SessionTreeFinding,
} from '../../../src/core/loops/session-tree-detector.ts';
import { SessionTreeRegistry } from '../../../src/core/loops/session-tree-registry.ts';
import { type CallInput, toLoopCalls } from './calls.ts';

const pageCall = (id: number, over: Partial<CallInput> = {}): CallInput => ({
  tool: 'fetch',
  args: { id: `page ${id}` },
  text: `The whole text of page ${id}. ${'It is long enough to say something. '.repeat(5)}`,
  ...over,
});

const eightCalls = Array.from({ length: 8 }, (_, id) => pageCall(id));
const ordinaryCalls = (who: string, n: number): CallInput[] =>
  Array.from({ length: n }, (_, at) =>
    pageCall(1_000 + at, { args: { who, at }, text: `${who} found ${at}. `.repeat(20) }),
  );

/** The sessions take turns, call by call; all calls of one moment belong to different sessions. */
function interleaveSessions(sessions: Readonly<Record<string, readonly CallInput[]>>): [string, LoopCall][] {
  const calls = Object.entries(sessions).flatMap(([name, said], at) =>
    toLoopCalls(said).map((call): [string, LoopCall] => [
      name,
      { ...call, startedAtUs: call.startedAtUs + at * 700_000 },
    ]),
  );
  return calls.sort((a, b) => a[1].startedAtUs - b[1].startedAtUs);
}

function detectTree(
  sessions: Readonly<Record<string, readonly CallInput[]>>,
): SessionTreeFinding | undefined {
  const tree = new SessionTreeDetector();
  return interleaveSessions(sessions)
    .map(([name, call]) => tree.feed(name, call))
    .findLast((finding) => finding !== undefined);
}

const repeatRounds = (n: number, said: readonly CallInput[]): CallInput[] =>
  Array.from({ length: n }, () => said).flat();

describe('run of several sessions', () => {
  test('a run whose three agents fetch the same eight things repeatedly is reported with its sessions', () => {
    const finding = detectTree({
      a: repeatRounds(4, eightCalls),
      b: repeatRounds(4, eightCalls),
      c: repeatRounds(4, eightCalls),
    });
    expect(finding).toMatchObject({
      kind: 'nothing_new',
      severity: 'confirmed',
      sessions: ['a', 'b', 'c'],
      wastedCalls: 48,
    });
    expect(finding?.sentence).toContain('3 sessions of one run ask for the same 8 things again and again');
    expect(finding?.wastedTokens).toBeGreaterThan(48 * 40);
  });

  test.each([1, 2])(
    'a run whose three agents work apart after reading the same five files %i times is not reported',
    (times) => {
      const start = repeatRounds(times, eightCalls.slice(0, 5));
      const agents = {
        a: [...start, ...ordinaryCalls('a', 20)],
        b: [...start, ...ordinaryCalls('b', 20)],
        c: [...start, ...ordinaryCalls('c', 20)],
      };
      expect(detectTree(agents)).toBeUndefined();
    },
  );

  test('a run of ten sequential agents that each read the same five files and then work is not reported', () => {
    const tree = new SessionTreeDetector();
    const found = Array.from({ length: 10 }, (_, n) =>
      toLoopCalls([...eightCalls.slice(0, 5), ...ordinaryCalls(`agent ${n}`, 12)]).map((call) =>
        tree.feed(`agent ${n}`, { ...call, startedAtUs: call.startedAtUs + n * 100e6 }),
      ),
    );
    expect(found.flat().filter((finding) => finding !== undefined)).toEqual([]);
  });

  test('a run with one self-repeating agent is left to the detector of sessions', () => {
    expect(detectTree({ a: repeatRounds(8, eightCalls), b: ordinaryCalls('b', 10) })).toBeUndefined();
  });

  test('a run that polls, that only gets acknowledgements, or whose results differ is not reported', () => {
    const polls = [1, 2, 3, 4, 5].flatMap((id) =>
      Array.from({ length: 10 }, () => pageCall(id, { after: 10 })),
    );
    expect(detectTree({ a: polls, b: polls })).toBeUndefined();
    const writes = eightCalls.map((said) => ({ ...said, text: 'done' }));
    expect(detectTree({ a: repeatRounds(6, writes), b: repeatRounds(6, writes) })).toBeUndefined();
    const news = repeatRounds(6, eightCalls).map((said, at) => ({
      ...said,
      text: `${said.text} as of ${'x'.repeat(at)}`,
    }));
    expect(detectTree({ a: news, b: ordinaryCalls('b', 5) })).toBeUndefined();
  });

  test('a run whose agents all start at once is not reported, since none can know the results of the others', () => {
    const tree = new SessionTreeDetector();
    const starts = Array.from({ length: 12 }, (_, n) =>
      toLoopCalls(eightCalls.map((said) => ({ ...said, took: 600 }))).map((call) =>
        tree.feed(`agent ${n}`, call),
      ),
    );
    expect(starts.flat().filter((finding) => finding !== undefined)).toEqual([]);
  });

  test('a run is over when its agents do something else', () => {
    const tree = new SessionTreeDetector();
    const calls = interleaveSessions({
      a: [...repeatRounds(4, eightCalls), ...ordinaryCalls('a', 40)],
      b: [...repeatRounds(4, eightCalls), ...ordinaryCalls('b', 40)],
    });
    const states = calls.flatMap(([name, call]) => tree.feed(name, call)?.state ?? []);
    expect(states.at(-1)).toBe('over');
    expect(states.filter((state) => state === 'over')).toHaveLength(1);
  });
});

test('a forest joins sessions that share a key, the first calls included, and drops the least recently fed run', () => {
  const forest = new SessionTreeRegistry();
  const calls = interleaveSessions({ a: repeatRounds(4, eightCalls), b: repeatRounds(4, eightCalls) });
  const found = calls.flatMap(([name, call]) => forest.feed('plan:p', name, call));
  expect(found.at(-1)?.sessions).toEqual(['a', 'b']);
  expect([...forest.sessionsOf('plan:p')]).toEqual(['a', 'b']);
  const [lone] = toLoopCalls([pageCall(1)]);
  for (let n = 0; n < 1_000 && lone; n++)
    for (const name of ['x', 'y']) forest.feed(`trace:${n}`, name, lone);
  expect([...forest.sessionsOf('plan:p')]).toEqual([]);
});
