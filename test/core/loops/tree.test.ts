import { describe, expect, test } from 'vitest';
import { Forest } from '../../../src/core/loops/forest.ts';
import type { LoopCall } from '../../../src/core/loops/loop-call.ts';
import { SessionTree, type TreeFinding } from '../../../src/core/loops/tree.ts';
import { type Said, session } from './calls.ts';

const page = (id: number, over: Partial<Said> = {}): Said => ({
  tool: 'fetch',
  args: { id: `page ${id}` },
  text: `The whole text of page ${id}. ${'It is long enough to say something. '.repeat(5)}`,
  ...over,
});

const eight = Array.from({ length: 8 }, (_, id) => page(id));
const work = (who: string, n: number): Said[] =>
  Array.from({ length: n }, (_, at) =>
    page(1_000 + at, { args: { who, at }, text: `${who} found ${at}. `.repeat(20) }),
  );

/** The sessions take turns, call by call; all calls of one moment belong to different sessions. */
function mixed(sessions: Readonly<Record<string, readonly Said[]>>): [string, LoopCall][] {
  const calls = Object.entries(sessions).flatMap(([name, said], at) =>
    session(said).map((call): [string, LoopCall] => [
      name,
      { ...call, startedAtUs: call.startedAtUs + at * 700_000 },
    ]),
  );
  return calls.sort((a, b) => a[1].startedAtUs - b[1].startedAtUs);
}

function judge(sessions: Readonly<Record<string, readonly Said[]>>): TreeFinding | undefined {
  const tree = new SessionTree();
  return mixed(sessions)
    .map(([name, call]) => tree.feed(name, call))
    .findLast((finding) => finding !== undefined);
}

const rounds = (n: number, said: readonly Said[]): Said[] => Array.from({ length: n }, () => said).flat();

describe('a run', () => {
  test('whose three agents fetch the same eight things again and again is told, with its sessions', () => {
    const finding = judge({ a: rounds(4, eight), b: rounds(4, eight), c: rounds(4, eight) });
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
    'whose three agents work apart after reading the same five files %i times is not',
    (times) => {
      const start = rounds(times, eight.slice(0, 5));
      const agents = {
        a: [...start, ...work('a', 20)],
        b: [...start, ...work('b', 20)],
        c: [...start, ...work('c', 20)],
      };
      expect(judge(agents)).toBeUndefined();
    },
  );

  test('of ten agents one after the other that each read the same five files and work is not', () => {
    const tree = new SessionTree();
    const found = Array.from({ length: 10 }, (_, n) =>
      session([...eight.slice(0, 5), ...work(`agent ${n}`, 12)]).map((call) =>
        tree.feed(`agent ${n}`, { ...call, startedAtUs: call.startedAtUs + n * 100e6 }),
      ),
    );
    expect(found.flat().filter((finding) => finding !== undefined)).toEqual([]);
  });

  test('whose one agent repeats itself is for the judge of sessions', () => {
    expect(judge({ a: rounds(8, eight), b: work('b', 10) })).toBeUndefined();
  });

  test('that polls, that is only acknowledged, or whose answers differ is not', () => {
    const polls = [1, 2, 3, 4, 5].flatMap((id) => Array.from({ length: 10 }, () => page(id, { after: 10 })));
    expect(judge({ a: polls, b: polls })).toBeUndefined();
    const writes = eight.map((said) => ({ ...said, text: 'done' }));
    expect(judge({ a: rounds(6, writes), b: rounds(6, writes) })).toBeUndefined();
    const news = rounds(6, eight).map((said, at) => ({
      ...said,
      text: `${said.text} as of ${'x'.repeat(at)}`,
    }));
    expect(judge({ a: news, b: work('b', 5) })).toBeUndefined();
  });

  test('whose agents all start at once knows nothing of the others yet', () => {
    const tree = new SessionTree();
    const starts = Array.from({ length: 12 }, (_, n) =>
      session(eight.map((said) => ({ ...said, took: 600 }))).map((call) => tree.feed(`agent ${n}`, call)),
    );
    expect(starts.flat().filter((finding) => finding !== undefined)).toEqual([]);
  });

  test('that does something else is over', () => {
    const tree = new SessionTree();
    const calls = mixed({
      a: [...rounds(4, eight), ...work('a', 40)],
      b: [...rounds(4, eight), ...work('b', 40)],
    });
    const states = calls.flatMap(([name, call]) => tree.feed(name, call)?.state ?? []);
    expect(states.at(-1)).toBe('over');
    expect(states.filter((state) => state === 'over')).toHaveLength(1);
  });
});

test('a forest joins sessions that share a key, the first calls included, and forgets the run fed longest ago', () => {
  const forest = new Forest();
  const calls = mixed({ a: rounds(4, eight), b: rounds(4, eight) });
  const found = calls.flatMap(([name, call]) => forest.feed('plan:p', name, call));
  expect(found.at(-1)?.sessions).toEqual(['a', 'b']);
  expect([...forest.sessionsOf('plan:p')]).toEqual(['a', 'b']);
  const [lone] = session([page(1)]);
  for (let n = 0; n < 1_000 && lone; n++)
    for (const name of ['x', 'y']) forest.feed(`trace:${n}`, name, lone);
  expect([...forest.sessionsOf('plan:p')]).toEqual([]);
});
