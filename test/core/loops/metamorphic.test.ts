// What may be done to a session without changing what it is. Held over made sessions of every kind, so that no rule comes
// to know the ids, dates and keys of the examples it was written for.
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { parseSessionLine } from '../../../src/cli/detect/parse-session-line.ts';
import { detectLoops } from '../../../src/core/loops/detector.ts';
import { createFingerprinter } from '../../../src/core/values/fingerprint.ts';
import { CLEAN_POLLING } from '../../evaluate/clean-polling.ts';
import { ID_STYLES, makeIds } from '../../evaluate/ids.ts';
import { makeOrdinaryWork } from '../../evaluate/ordinary-work.ts';
import { createIdReplacer } from '../../evaluate/replace-ids.ts';
import { createSeededRandom } from '../../evaluate/seeded-random.ts';
import { sampleSessionAttributes, toSessionLines } from '../../evaluate/session-lines.ts';
import {
  createSimulatedServer,
  type SimulatedServer,
  syntheticCall,
  VERBS,
} from '../../evaluate/simulated-server.ts';
import { spliceSynthetic } from '../../evaluate/splice.ts';
import type { StretchKind } from '../../evaluate/stretch-kind.ts';
import type { LabelledSession, LineCall, SyntheticCall } from '../../evaluate/synthetic-call.ts';
import { LOOP_KINDS, makeLoopSession } from '../../evaluate/synthetic-loops.ts';
import { CLEAN_KINDS, makeCleanSession } from '../../evaluate/synthetic-sessions.ts';
import { propertyRuns } from '../../support/property-runs.ts';

const KEY = Buffer.from('a key for tests');

function isFlagged(calls: readonly LineCall[], key: Uint8Array = KEY): boolean {
  const reduction = { capture: 'shape', fingerprinter: createFingerprinter(key) } as const;
  const line = JSON.stringify({ sessionId: 'made', calls });
  const { verdict } = detectLoops(parseSessionLine(line, 1, reduction).calls);
  return verdict === 'suspected' || verdict === 'confirmed';
}

const anySeed = fc.noShrink(fc.nat(2 ** 31 - 1));
/** Named by kind and seed, because that is all it takes to make it again. */
const anySessionOf = (
  kinds: readonly StretchKind[],
  make: (kind: StretchKind, seed: number) => LabelledSession,
) =>
  fc.noShrink(
    fc.tuple(fc.constantFrom(...kinds), anySeed).map(([kind, seed]) => ({
      make: () => make(kind, seed),
      [fc.toStringMethod]: () => `${kind.name}-${seed}`,
    })),
  );
const anyClean = anySessionOf(CLEAN_KINDS, makeCleanSession);
const anyLoop = anySessionOf(LOOP_KINDS, makeLoopSession);
const anySession = fc.oneof(anyClean, anyLoop);

const numRuns = propertyRuns({ quick: 25, full: 2_000 });

describe('invariance of the verdict', () => {
  test('the verdict stays the same when ids, dates and hashes are replaced one by one', () => {
    fc.assert(
      fc.property(anySession, anySeed, (session, seed) => {
        const { sessionId, calls } = session.make();
        const { renew } = createIdReplacer(createSeededRandom(seed));
        const renewed = calls.map((line) => ({ ...line, ...renew(contentOf(line)) }));
        expect(isFlagged(renewed), sessionId).toBe(isFlagged(calls));
      }),
      { numRuns },
    );
  });

  test('the verdict stays the same with any fingerprint key', () => {
    fc.assert(
      fc.property(anySession, fc.uint8Array({ minLength: 32, maxLength: 32 }), (session, key) => {
        const { sessionId, calls } = session.make();
        expect(isFlagged(calls, key), sessionId).toBe(isFlagged(calls));
      }),
      { numRuns },
    );
  });
});

/** What an agent and a server say; not when, and not what the session is about. */
function contentOf({ arguments: args, result, errorMessage }: LineCall): Partial<LineCall> {
  return { arguments: args, result, ...(errorMessage !== undefined && { errorMessage }) };
}

describe('repeated batch', () => {
  const anyRepeat = fc.record({
    seed: anySeed,
    style: fc.constantFrom(...ID_STYLES.filter((style) => style !== 'page'), 'code' as const),
    count: fc.integer({ min: 6, max: 14 }),
    form: fc.constantFrom('record' as const, 'ok' as const),
  });

  test.each<[string, boolean]>([
    ['is a loop as it is', true],
    ['is a batch if each call has an id of its own', false],
  ])('a repeated request %s', (_what, same) => {
    fc.assert(
      fc.property(anyRepeat, ({ seed, style, count, form }) => {
        const world = createSimulatedServer(createSeededRandom(seed));
        const ids = makeIds(style, count, world.dice).map((id, _at, all) => (same ? all[0]! : id));
        const calls = [...makeOrdinaryWork(world, 4), ...repeatFor(world, ids, form)];
        const staging = sampleSessionAttributes(world.dice, world.domain.server);
        expect(isFlagged(toSessionLines(calls, staging, world.dice)), JSON.stringify(calls.at(-1))).toBe(
          same,
        );
      }),
      { numRuns },
    );
  });
});

/** One request for each id; but for the id all that is asked and answered is the same. */
function repeatFor(
  world: SimulatedServer,
  ids: readonly (string | number)[],
  form: 'record' | 'ok',
): SyntheticCall[] {
  const record = world.record(0);
  const tool = world.tool(form === 'ok' ? VERBS.change : VERBS.read);
  const name = world.argument('record_id');
  return ids.map((id) => {
    const answer = world.ok(form === 'ok' ? 'ok' : { ...record, id });
    return syntheticCall(tool, { [name]: id }, answer, form === 'ok' ? 'write' : 'read');
  });
}

/** So many equal calls are a loop by themselves, unless they wait for something. */
const EQUAL = 10;

describe('loop with equal calls', () => {
  test('a loop remains a loop when all calls of a long stretch are made equal', () => {
    fc.assert(
      fc.property(anyLoop, fc.nat(), (session, at) => {
        const { sessionId, calls } = session.make();
        const from = at % Math.max(1, calls.length - EQUAL);
        const equal = calls.map((line, index) =>
          index > from && index < from + EQUAL ? withContentOf(line, calls[from]!) : line,
        );
        if (isFlagged(calls)) expect(isFlagged(equal), `${sessionId} from ${from}`).toBe(true);
      }),
      { numRuns },
    );
  });
});

/** The call where it was, saying what another says. */
function withContentOf(line: LineCall, other: LineCall): LineCall {
  const { startedAtMs, durationMs, turn } = line;
  const {
    startedAtMs: _startedAtMs,
    durationMs: _durationMs,
    turn: _turn,
    userMessageBefore: _by,
    ...rest
  } = other;
  return {
    ...rest,
    ...(startedAtMs !== undefined && { startedAtMs }),
    ...(durationMs !== undefined && { durationMs }),
    ...(turn !== undefined && { turn }),
  };
}

describe('clean work with unrelated calls', () => {
  const unrelated: StretchKind = {
    name: 'unrelated',
    because: 'other work comes between',
    make: (world) => makeOrdinaryWork(world, world.dice.between(1, 8)),
  };

  test.each<[string, readonly StretchKind[]]>([
    ['that does not wait', CLEAN_KINDS.filter((kind) => !CLEAN_POLLING.includes(kind))],
    ['that waits', CLEAN_POLLING],
  ])('clean work remains clean when unrelated calls are inserted: work %s', (_which, kinds) => {
    fc.assert(
      fc.property(
        anySessionOf(kinds, makeCleanSession),
        fc.array(anySeed, { minLength: 1, maxLength: 3 }),
        (session, seeds) => {
          const clean = session.make();
          const more = seeds.reduce(
            (spliced, seed) => spliceSynthetic(spliced, unrelated, { label: 'clean', seed }),
            clean,
          );
          if (!isFlagged(clean.calls)) expect(isFlagged(more.calls), more.sessionId).toBe(false);
        },
      ),
      { numRuns },
    );
  });
});
