// Clean sessions, by kind and seed: believable work that some detector might take for a loop.
import { BATCHES, WRITES } from './clean-batches.ts';
import { CLEAN_FAILURES } from './clean-failures.ts';
import { CLEAN_POLLING } from './clean-polling.ts';
import { CLEAN_SEARCHES } from './clean-searches.ts';
import { makeOrdinaryWork } from './ordinary-work.ts';
import { createSeededRandom, type SeededRandom } from './seeded-random.ts';
import { sampleSessionAttributes, toSessionLines } from './session-lines.ts';
import { createSimulatedServer } from './simulated-server.ts';
import type { StretchKind } from './stretch-kind.ts';
import type { LabelledSession, SessionLabel, SyntheticCall } from './synthetic-call.ts';

export const CLEAN_KINDS: readonly StretchKind[] = [
  ...BATCHES,
  WRITES,
  ...CLEAN_FAILURES,
  ...CLEAN_POLLING,
  ...CLEAN_SEARCHES,
];

/** A session with a stretch of that kind amid other work: the same for the same seed. */
export function makeCleanSession(kind: StretchKind, seed: number): LabelledSession {
  return makeSyntheticSession(kind, { seed, label: 'clean' });
}

interface SessionOptions {
  readonly seed: number;
  readonly label: SessionLabel;
}

/** Calls that a session has at least and at most, where its stretch leaves a choice. */
const MIN_CALLS = 10;
const MAX_CALLS = 45;

/** A stretch in the middle of ordinary work, staged. */
export function makeSyntheticSession(kind: StretchKind, { seed, label }: SessionOptions): LabelledSession {
  const dice = createSeededRandom(seed);
  const world = createSimulatedServer(dice);
  const stretch = kind.make(world);
  const work = makeOrdinaryWork(world, sampleWorkLength(stretch, dice)).map((made) => ({
    ...made,
    asked: true,
  }));
  const onset = dice.between(0, work.length);
  const calls = [...work.slice(0, onset), ...stretch, ...work.slice(onset)];
  return {
    sessionId: `${kind.name}-${seed}`,
    label,
    kind: kind.name,
    because: kind.because,
    ...(label === 'loop' && { onsetIndex: onset }),
    calls: toSessionLines(calls, sampleSessionAttributes(dice, world.domain.server, kind.needsTimes), dice),
  };
}

function sampleWorkLength(stretch: readonly SyntheticCall[], dice: SeededRandom): number {
  const lowest = Math.max(0, MIN_CALLS - stretch.length);
  return dice.between(lowest, Math.max(lowest, Math.min(14, MAX_CALLS - stretch.length)));
}
