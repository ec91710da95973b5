// Whether calls kept what the definitions of a server promise.

import { z } from 'zod';
import { PROMISE_KINDS } from '../core/model/promise-kinds.ts';
import { count, Range, rate } from './fields.ts';
import { CommonQuery, filterValue } from './query.ts';
import { CallReference } from './tool.ts';

const Score = z.object({
  /** Mean over the tested promises of the share of tests that kept it; null if no call tested one. */
  score: rate.nullable(),
  promises: count,
  tested: count,
  /** Promises that at least one call broke. */
  broken: count,
});

export const ContractPromise = z.object({
  kind: z.enum(PROMISE_KINDS),
  /** Empty for the tool as a whole. */
  argument: z.string(),
  kept: count,
  broken: count,
  /** Calls that broke it: at most five of the newest. */
  calls: z.array(CallReference),
});
export type ContractPromise = z.infer<typeof ContractPromise>;

export const ContractTruthResponse = Score.extend({
  range: Range,
  /** The calls that were looked at: the newest of the server. */
  sequence: z.object({ calls: count, isWhole: z.boolean() }),
  /** Listed tools that promise something. */
  tools: z.array(Score.extend({ tool: z.string(), records: z.array(ContractPromise) })),
});
export type ContractTruthResponse = z.infer<typeof ContractTruthResponse>;

/** The score of the server is over all its tools, also with `tool`. */
export const ContractTruthQuery = CommonQuery.omit({ server: true, '-server': true }).extend({
  server: filterValue,
});
export type ContractTruthQuery = z.infer<typeof ContractTruthQuery>;
