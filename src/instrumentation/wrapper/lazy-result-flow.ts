// The memory of results, made when the first call ends.
import { randomInt } from 'node:crypto';
import { createResultFlow, MAX_SEED, type ResultFlow } from '../../core/result-flow/result-flow.ts';

/** Returns the same memory each time; its key is random for the process. */
export function createLazyResultFlow(): () => ResultFlow {
  let flow: ResultFlow | undefined;
  return () => {
    flow ??= createResultFlow(randomInt(MAX_SEED));
    return flow;
  };
}
