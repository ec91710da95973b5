// Result use: which results of a session fed which arguments of its later calls, as far as servers could tell without sending values.

import { z } from 'zod';
import { count, Proportion, Range } from './fields.ts';

/** A tool and how its results are used. Methods other than `tools/call` stand with their name. */
export const ResultUseTool = z.object({
  server: z.string(),
  tool: z.string(),
  /** Share of the results that fed a later call of their session; of results with fields that can be recognised. */
  used: Proportion,
  /** The same of results of further pages; asking for the next page is no use of a page. */
  usedPages: Proportion,
});
export type ResultUseTool = z.infer<typeof ResultUseTool>;

/** A field of results that fed an argument. */
export const ResultEdge = z.object({
  server: z.string(),
  sourceTool: z.string(),
  sourcePath: z.string(),
  tool: z.string(),
  /** Of the argument. */
  path: z.string(),
  calls: count,
  /** Of these, the calls whose argument contains the value with other text, such as an id in a URL. */
  partialCalls: count,
  /** Of these, the calls that failed. */
  errors: count,
});
export type ResultEdge = z.infer<typeof ResultEdge>;

/** A field that many results offered and no later argument had. */
export const UnusedField = z.object({
  server: z.string(),
  tool: z.string(),
  path: z.string(),
  results: count,
  sessions: count,
});
export type UnusedField = z.infer<typeof UnusedField>;

/** An argument whose value came from no result, no earlier argument and no schema. */
export const UnsourcedArgument = z.object({
  server: z.string(),
  tool: z.string(),
  path: z.string(),
  /** Share of the calls with a value that can be recognised there. */
  unsourced: Proportion,
  /** Error rate of those calls. */
  errorRate: Proportion,
  /** Error rate of the calls that took the value from a result. */
  sourcedErrorRate: Proportion,
});
export type UnsourcedArgument = z.infer<typeof UnsourcedArgument>;

export const ResultUseResponse = z.object({
  range: Range,
  /** The calls that were evaluated: the newest of each server. */
  window: z.object({ fromMs: z.number(), calls: count, isWhole: z.boolean() }),
  /** Of all tools together. */
  used: Proportion,
  /** Most results first, at most 200. */
  tools: z.array(ResultUseTool),
  /** Most calls first, at most 300. */
  edges: z.array(ResultEdge),
  /** Offered by at least 20 results in at least 3 sessions; most results first, at most 200. */
  unusedFields: z.array(UnusedField),
  /** Most calls from nowhere first, at most 200. */
  unsourcedArguments: z.array(UnsourcedArgument),
  bucketSeconds: count,
  /** Results with fields that can be recognised, and how many of them fed a later call, at the time of the result. */
  points: z.array(z.object({ atMs: z.number(), results: count, used: count })),
});
export type ResultUseResponse = z.infer<typeof ResultUseResponse>;
