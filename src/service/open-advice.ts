// Ties the rounds of advice to the questions that know the rules, and to what is said of them.

import type { Logger } from 'pino';
import { Counter, type Registry } from 'prom-client';
import type { Clock } from '../segments/clock.ts';
import { type AdviceRounds, type RoundResult, startAdviceRounds } from './advice-rounds.ts';
import { runAdviceRound } from './questions/advice-round.ts';
import type { StoreReader, StoreWriter } from './questions/ports.ts';

export interface AdviceOptions {
  /** Limited like people's questions, and in one line with them. */
  readonly reader: StoreReader;
  readonly writer: StoreWriter;
  readonly isStoreReachable: () => Promise<boolean>;
  /** How many days single calls are kept. */
  readonly rawDays: number;
  readonly clock: Clock;
  readonly registry: Registry;
  readonly log: Logger;
}

export function openAdvice(options: AdviceOptions): AdviceRounds {
  const { reader, writer, isStoreReachable, rawDays, clock, registry, log } = options;
  const rounds = new Counter<'result'>({
    name: 'toolscope_advice_rounds_total',
    help: 'Hourly looks for advice on every server, by what came of them.',
    labelNames: ['result'],
    registers: [registry],
  });
  let lastMs = 0;
  return startAdviceRounds({
    async round(nowMs, ending) {
      const round = await runAdviceRound({
        asking: { store: reader, writer, nowMs, rawDays },
        ending,
        lastMs,
      });
      // Where some could not be looked at, the next round takes all of them again.
      if (round.failed === 0) lastMs = nowMs;
      return round;
    },
    isStoreReachable,
    clock,
    onEnded: (result: RoundResult) => rounds.inc({ result }),
    log,
  });
}
