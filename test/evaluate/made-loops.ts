// Sessions that go in circles, by kind and seed.
import type { StretchKind } from './kind.ts';
import { LOOP_FAILURES } from './loop-failures.ts';
import { LOOP_REPEATS } from './loop-repeats.ts';
import { LOOP_CYCLES } from './loop-rounds.ts';
import type { LabelledSession } from './made-call.ts';
import { makeSyntheticSession } from './made-sessions.ts';

export const LOOP_KINDS: readonly StretchKind[] = [...LOOP_REPEATS, ...LOOP_CYCLES, ...LOOP_FAILURES];

/** A session with a loop of that kind amid other work: the same for the same seed. */
export function makeLoopSession(kind: StretchKind, seed: number): LabelledSession {
  return makeSyntheticSession(kind, { seed, label: 'loop' });
}
