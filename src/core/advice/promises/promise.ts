// The promises that a definition can make. Each can be kept or broken by a call, as far as what is stored shows it; a promise that no
// call tested is neither.

import type { PromiseKind } from '../../model/promise-kinds.ts';

/** A call that broke a promise. */
export interface BreakingCall {
  readonly traceId: string;
  readonly spanId: string;
  readonly sessionId: string;
  readonly startedUs: number;
}

/** Maximum breaking calls named per promise. */
export const MAX_BREAKING_CALLS = 5;

/** One promise of a definition, and the calls that tested it. */
export interface PromiseRecord {
  readonly kind: PromiseKind;
  /** The argument of an enum or a bound; empty for the tool as a whole. */
  readonly argument: string;
  readonly kept: number;
  readonly broken: number;
  /** Of the broken ones, newest first. */
  readonly calls: readonly BreakingCall[];
}

/** Part of a record: what one kind of evidence shows. */
export interface PromiseTest {
  readonly isKept: boolean;
  /** Number of calls. */
  readonly n: number;
  readonly call: BreakingCall;
}

/** The record of a promise from the calls that tested it. */
export function toPromiseRecord(
  { kind, argument = '' }: { readonly kind: PromiseKind; readonly argument?: string },
  tests: readonly PromiseTest[],
): PromiseRecord {
  const broken = tests.filter(({ isKept }) => !isKept);
  const count = (some: readonly PromiseTest[]): number => some.reduce((sum, { n }) => sum + n, 0);
  return {
    ...{ kind, argument, kept: count(tests) - count(broken), broken: count(broken) },
    calls: broken
      .map(({ call }) => call)
      .sort((one, other) => other.startedUs - one.startedUs)
      .slice(0, MAX_BREAKING_CALLS),
  };
}

/** How true a contract is. */
export interface ContractScore {
  /** Mean over the tested promises of the share of tests that kept it; null if none was tested. */
  readonly score: number | null;
  readonly promises: number;
  readonly tested: number;
  readonly broken: number;
}

/** Each tested promise counts alike, however many calls tested it: one that is often tested does not hide another. */
export function scorePromises(records: readonly PromiseRecord[]): ContractScore {
  const tested = records.filter(({ kept, broken }) => kept + broken > 0);
  const shares = tested.map(({ kept, broken }) => kept / (kept + broken));
  return {
    score: tested.length === 0 ? null : shares.reduce((sum, share) => sum + share, 0) / tested.length,
    promises: records.length,
    tested: tested.length,
    broken: tested.filter(({ broken }) => broken > 0).length,
  };
}
