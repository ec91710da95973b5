// Clean sessions, by kind and seed: believable work that some detector might take for a loop.
import { BATCHES, WRITES } from './clean-batches.ts';
import { CLEAN_FAILURES } from './clean-failures.ts';
import { CLEAN_LOOKING } from './clean-looking.ts';
import { CLEAN_WAITING } from './clean-waiting.ts';
import { createDice, type Dice } from './dice.ts';
import type { Kind } from './kind.ts';
import type { Label, LabelledSession, MadeCall } from './made-call.ts';
import { drawStaging, stage } from './stage.ts';
import { makeWork } from './work.ts';
import { createWorld } from './world.ts';

export const CLEAN_KINDS: readonly Kind[] = [
  ...BATCHES,
  WRITES,
  ...CLEAN_FAILURES,
  ...CLEAN_WAITING,
  ...CLEAN_LOOKING,
];

/** A session with a stretch of that kind amid other work: the same for the same seed. */
export function makeClean(kind: Kind, seed: number): LabelledSession {
  return makeSession(kind, { seed, label: 'clean' });
}

interface Wanted {
  readonly seed: number;
  readonly label: Label;
}

/** Calls that a session has at least and at most, where its stretch leaves a choice. */
const FEWEST = 10;
const MOST = 45;

/** A stretch in the middle of ordinary work, staged. */
export function makeSession(kind: Kind, { seed, label }: Wanted): LabelledSession {
  const dice = createDice(seed);
  const world = createWorld(dice);
  const stretch = kind.make(world);
  const work = makeWork(world, drawWork(stretch, dice)).map((made) => ({ ...made, asked: true }));
  const onset = dice.between(0, work.length);
  const calls = [...work.slice(0, onset), ...stretch, ...work.slice(onset)];
  return {
    sessionId: `${kind.name}-${seed}`,
    label,
    kind: kind.name,
    because: kind.because,
    ...(label === 'loop' && { onsetIndex: onset }),
    calls: stage(calls, drawStaging(dice, world.domain.server, kind.needsTimes), dice),
  };
}

function drawWork(stretch: readonly MadeCall[], dice: Dice): number {
  const least = Math.max(0, FEWEST - stretch.length);
  return dice.between(least, Math.max(least, Math.min(14, MOST - stretch.length)));
}
