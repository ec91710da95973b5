// Sessions that go in circles, by kind and seed.

import { LOOP_CYCLES } from './loop-cycles.ts';
import { LOOP_FAILURES } from './loop-failures.ts';
import { LOOP_REPEATS } from './loop-repeats.ts';
import type { StretchKind } from './stretch-kind.ts';
import type { LabelledSession } from './synthetic-call.ts';
import { makeSyntheticSession } from './synthetic-sessions.ts';

export const LOOP_KINDS: readonly StretchKind[] = [...LOOP_REPEATS, ...LOOP_CYCLES, ...LOOP_FAILURES];

/** A session with a loop of that kind amid other work: the same for the same seed. */
export function makeLoopSession(kind: StretchKind, seed: number): LabelledSession {
  return makeSyntheticSession(kind, { seed, label: 'loop' });
}
