// The work of tools during their calls: the spans below one call, and what a tool's calls talk to.

import { z } from 'zod';
import { CHILD_SPAN_KINDS } from '../core/model/child-span.ts';
import { count, Range, rate, time } from './fields.ts';
import { filterValue } from './query.ts';
import { parseTime, TIME_FORMATS } from './time-range.ts';

export const CallSpansQuery = z.strictObject({
  server: filterValue,
  /** Absent for a request other than `tools/call`. */
  tool: filterValue.optional(),
  /** When the call started, as in the list of calls. */
  at: z.string().refine((text) => parseTime(text, 0) !== undefined, { error: `must be ${TIME_FORMATS}` }),
});
export type CallSpansQuery = z.infer<typeof CallSpansQuery>;

export const CallSpan = z.object({
  /** Within the call; part of the span's own id. */
  id: z.string(),
  /** Empty below the call itself. */
  parentId: z.string(),
  /** 0 below the call itself. */
  depth: count,
  /** Masked; empty in capture mode `none`. */
  name: z.string(),
  kind: z.enum(CHILD_SPAN_KINDS),
  /** What it talks to; empty for work inside the process. */
  dependency: z.string(),
  /** From the start of the call; negative if the clock was set back. */
  offsetMs: z.number(),
  durationMs: z.number().nonnegative(),
  failed: z.boolean(),
  errorType: z.string(),
});
export type CallSpan = z.infer<typeof CallSpan>;

export const CallSpansResponse = z.object({
  /** Each span directly after the one it is in, siblings by start. */
  spans: z.array(CallSpan),
  /** Whether there may have been more than are kept. */
  isLimited: z.boolean(),
});
export type CallSpansResponse = z.infer<typeof CallSpansResponse>;

export const DependencyRow = z.object({
  server: z.string(),
  tool: z.string(),
  dependency: z.string(),
  kind: z.enum(CHILD_SPAN_KINDS),
  /** Spans that are not inside a span of another dependency. */
  spans: count,
  errors: count,
  errorRate: rate,
  p95Ms: z.number().nonnegative(),
  totalMs: z.number().nonnegative(),
  /** Of the time of the tool's calls with spans; above 1 if spans ran at the same time. */
  timeShare: z.number().nonnegative(),
});
export type DependencyRow = z.infer<typeof DependencyRow>;

export const DependenciesResponse = z.object({
  range: Range,
  /** Start of the oldest call with spans; null if there is none. */
  firstAt: time.nullable(),
  /** Calls with spans, and their time. */
  calls: count,
  callsMs: z.number().nonnegative(),
  /** Most time first, at most 200. */
  dependencies: z.array(DependencyRow),
});
export type DependenciesResponse = z.infer<typeof DependenciesResponse>;
