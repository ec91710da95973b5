// What a guard did about a call, and why.

/**
 * `blocked`: it answered instead of the tool. `would_block`: the tool ran, and in mode `enforce` it would not
 * have. `nudged`: the tool ran, and a text was appended to its result.
 */
export const GUARD_VERDICTS = ['blocked', 'would_block', 'nudged'] as const;

export type GuardVerdict = (typeof GUARD_VERDICTS)[number];

/**
 * Reasons for a verdict: the call continues a confirmed loop, exceeds its budget, met an error that earlier agents
 * got past, or repeats an idempotency key.
 */
export const GUARD_CODES = ['LOOP_DETECTED', 'RATE_LIMITED', 'RECOVERY_HINT', 'REPLAYED'] as const;

export type GuardCode = (typeof GUARD_CODES)[number];

export interface GuardRecord {
  /** Empty for a call that no guard acted on. */
  readonly guardVerdict: GuardVerdict | '';
  /** One of `GUARD_CODES`, unless the producer is of another version; empty without a verdict. */
  readonly guardCode: string;
}
