// When advice is looked for: some minutes after the start, and then every hour, so that what a deploy mended was seen before it,
// whoever looked. Never twice at once, never while the store is away, and nobody waits for it when the service ends.

import type { Logger } from 'pino';
import type { Clock } from '../segments/clock.ts';
import type { AdviceRound } from './questions/advice-round.ts';

export interface AdviceRoundsOptions {
  /** One round at `nowMs`; what is left of it ends soon after the signal. */
  readonly round: (nowMs: number, ending: AbortSignal) => Promise<AdviceRound>;
  readonly isStoreReachable: () => Promise<boolean>;
  readonly clock: Clock;
  /** Called after each hour, whatever came of it. MUST NOT throw. */
  readonly onEnded: (result: RoundResult) => void;
  readonly log: Logger;
}

/** `partly`: some servers could not be looked at. `skipped`: the store was away. */
export type RoundResult = 'done' | 'partly' | 'failed' | 'skipped';

export interface AdviceRounds {
  /** Ends it at once. A round that is under way finishes its server, or fails with the store, and says nothing more. */
  close(): void;
}

/** By then an earlier process's calls are stored, and people's first questions answered. */
const FIRST_MS = 2 * 60_000;
const EVERY_MS = 60 * 60_000;

/** Starts the rounds; they end with `close`. */
export function startAdviceRounds(options: AdviceRoundsOptions): AdviceRounds {
  const { clock, onEnded, log } = options;
  const ending = new AbortController();
  let cancel = clock.schedule(FIRST_MS, begin);

  function begin(): void {
    void run();
  }

  async function run(): Promise<void> {
    const startedMs = clock.now();
    const result = await tryRound(options, ending.signal);
    if (ending.signal.aborted) return;
    onEnded(result.result);
    if (result.result === 'done') log.debug(result, 'advice was looked for');
    else log.warn(result, 'advice could not be looked for everywhere; it is tried again in an hour');
    cancel = clock.schedule(Math.max(0, startedMs + EVERY_MS - clock.now()), begin);
  }

  return {
    close() {
      ending.abort();
      cancel();
    },
  };
}

type Ended = { readonly result: RoundResult } & Partial<AdviceRound>;

async function tryRound(
  { round, isStoreReachable, clock }: AdviceRoundsOptions,
  ending: AbortSignal,
): Promise<Ended> {
  try {
    if (!(await isStoreReachable())) return { result: 'skipped' };
    const done = await round(clock.now(), ending);
    return { result: done.failed > 0 ? 'partly' : 'done', ...done };
  } catch {
    // What the store says of a question may hold values; that it failed is all that is told.
    return { result: 'failed' };
  }
}
