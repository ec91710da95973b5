// Sessions that go in circles, by kind and seed.
import type { Kind } from './kind.ts';
import { LOOP_FAILURES } from './loop-failures.ts';
import { LOOP_REPEATS } from './loop-repeats.ts';
import { LOOP_ROUNDS } from './loop-rounds.ts';
import type { LabelledSession } from './made-call.ts';
import { makeSession } from './made-sessions.ts';

export const LOOP_KINDS: readonly Kind[] = [...LOOP_REPEATS, ...LOOP_ROUNDS, ...LOOP_FAILURES];

/** A session with a loop of that kind amid other work: the same for the same seed. */
export function makeLoop(kind: Kind, seed: number): LabelledSession {
  return makeSession(kind, { seed, label: 'loop' });
}
