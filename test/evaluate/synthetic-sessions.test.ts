// What generators promise: the same session for the same seed, lines that `detect` reads, ids that differ where they should.
import { describe, expect, test } from 'vitest';
import { parseSessionLine } from '../../src/cli/detect/parse-session-line.ts';
import { createRedactions } from './evaluate-sessions.ts';
import { ID_STYLES, makeIds } from './ids.ts';
import { OWN_TOOL_KINDS } from './own-tool-stretches.ts';
import { createIdReplacer } from './replace-ids.ts';
import { createSeededRandom } from './seeded-random.ts';
import { makeSyntheticSessions, seedOf } from './sets.ts';
import { spliceOwnTools, spliceSynthetic } from './splice.ts';
import type { LabelledSession } from './synthetic-call.ts';
import { LOOP_KINDS, makeLoopSession } from './synthetic-loops.ts';
import { CLEAN_KINDS, makeCleanSession } from './synthetic-sessions.ts';

const [redaction] = createRedactions(1);
const read = (session: LabelledSession) => parseSessionLine(JSON.stringify(session), 1, redaction!);
const ofKind = (name: string, seed: number) =>
  makeCleanSession(CLEAN_KINDS.find((kind) => kind.name === name)!, seed);

describe('synthetic sessions', () => {
  test('the same seed generates the same sessions, and another seed others', () => {
    for (const kind of CLEAN_KINDS) {
      expect(makeCleanSession(kind, 5)).toEqual(makeCleanSession(kind, 5));
      expect(makeCleanSession(kind, 5).calls).not.toEqual(makeCleanSession(kind, 6).calls);
    }
    for (const kind of LOOP_KINDS) expect(makeLoopSession(kind, 5)).toEqual(makeLoopSession(kind, 5));
  });

  test('each generated line is read by detect, call by call', () => {
    for (const session of makeSyntheticSessions({ count: 2 })) {
      const { calls } = read(session);
      expect(calls.map(({ toolName }) => toolName)).toEqual(session.calls.map(({ tool }) => tool));
      expect(calls.filter(({ resultFingerprint }) => resultFingerprint === '')).toEqual([]);
    }
  });

  test('each kind of session has a unique name and a reason', () => {
    const kinds = [...CLEAN_KINDS, ...LOOP_KINDS, ...OWN_TOOL_KINDS];
    expect(new Set(kinds.map(({ name }) => name)).size).toBe(kinds.length);
    expect(kinds.filter(({ because }) => because.length < 10)).toEqual([]);
  });

  test('clean sessions have ten to forty-five calls', () => {
    const lengths = CLEAN_KINDS.flatMap((kind) =>
      [1, 2, 3].map((seed) => makeCleanSession(kind, seed).calls.length),
    );
    expect(Math.min(...lengths)).toBeGreaterThanOrEqual(10);
    expect(Math.max(...lengths)).toBeLessThanOrEqual(45);
  });

  test('a looping session records only the call where its loop begins', () => {
    for (const kind of LOOP_KINDS) {
      const { onsetIndex = -1, calls } = makeLoopSession(kind, 9);
      expect(onsetIndex).toBeGreaterThanOrEqual(0);
      expect(onsetIndex).toBeLessThan(calls.length - 2);
    }
    expect(ofKind('list-twice', 9).onsetIndex).toBeUndefined();
  });

  test('the calls of a batch all have different arguments', () => {
    for (const { name } of CLEAN_KINDS.filter((kind) => kind.name.startsWith('batch-'))) {
      const { calls } = ofKind(name, 11);
      const asked = calls.map(({ tool, arguments: args }) => JSON.stringify([tool, args]));
      expect(new Set(asked).size, name).toBe(asked.length);
    }
  });

  test('the times of a session never decrease', () => {
    for (const { calls, sessionId } of makeSyntheticSessions({ count: 2, seed: 4 })) {
      const starts = calls.map(({ startedAtMs = 0 }) => startedAtMs);
      expect(
        [...starts].sort((a, b) => a - b),
        sessionId,
      ).toEqual(starts);
    }
  });

  test('check sessions are not among the development sessions', () => {
    const seeds = (seed?: number) => Array.from({ length: 500 }, (_, at) => seedOf('cycle', at, seed));
    const all = [...seeds(), ...seeds(1), ...seeds(2)];
    expect(new Set(all).size).toBe(all.length);
  });
});

describe('generated ids', () => {
  test.each([...ID_STYLES, 'code' as const])('ids of style %s are all different', (style) => {
    for (let seed = 0; seed < 50; seed++)
      expect(new Set(makeIds(style, 24, createSeededRandom(seed))).size).toBe(24);
  });

  test('each id is replaced by one other id wherever it occurs', () => {
    const { renew } = createIdReplacer(createSeededRandom(1), ['GXWCPN']);
    const [a, b] = ['0b1d5902-1826-4a4f-a177-2e1e57deb7d7', '5f6f16ae-3519-469d-a867-467eb9c893c8'];
    const before = {
      id: a,
      other: [b, a],
      text: `at 2026-03-01\n${a} took 12 ms`,
      code: 'GXWCPN',
      price: 12.5,
    };
    const after = renew(before);
    expect(after.id).not.toBe(a);
    expect(after.other).toEqual([expect.not.stringMatching(b), after.id]);
    expect(after.text).toMatch(new RegExp(`^at \\d{4}-\\d{2}-\\d{2}\n${after.id} took 12 ms$`));
    expect(after.code).toMatch(/^[A-Z]{6}$/);
    expect(after.price).toBe(12.5);
  });
});

describe('spliced session', () => {
  const host = ofKind('batch-uuid-distinct', 21);

  test('a spliced session keeps the calls of its host in order', () => {
    const tools = (session: LabelledSession) =>
      session.calls.map(({ arguments: args }) => JSON.stringify(args));
    for (const kind of CLEAN_KINDS) {
      const spliced = tools(spliceSynthetic(host, kind, { label: 'clean', seed: 3 }));
      let at = -1;
      for (const tool of tools(host)) {
        at = spliced.indexOf(tool, at + 1);
        expect(at, kind.name).toBeGreaterThanOrEqual(0);
      }
    }
  });

  test('a spliced session continues the times and turns of its host', () => {
    for (const kind of OWN_TOOL_KINDS) {
      const { calls } = spliceOwnTools(host, kind, 7) ?? host;
      const starts = calls.map(({ startedAtMs = 0 }) => startedAtMs);
      const turns = calls.map(({ turn = 0 }) => turn);
      expect(
        [...starts].sort((a, b) => a - b),
        kind.name,
      ).toEqual(starts);
      expect(
        [...turns].sort((a, b) => a - b),
        kind.name,
      ).toEqual(turns);
    }
  });

  test('the spliced reads use a read tool of the host', () => {
    const kind = OWN_TOOL_KINDS.find(({ name }) => name === 'own-batch')!;
    const known = new Set(host.calls.map(({ tool }) => tool));
    expect(spliceOwnTools(host, kind, 7)?.calls.filter(({ tool }) => !known.has(tool))).toEqual([]);
  });
});
