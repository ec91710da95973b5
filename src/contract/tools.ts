// Servers and tools in lists: the values that filters accept, call rates, errors by code, tools that are never
// called.

import { z } from 'zod';
import { FAULTS, OUTCOMES } from '../core/model/outcome.ts';
import { count, milliseconds, optionalCursor, Range, rate, time } from './fields.ts';

export const ServersResponse = z.object({
  servers: z.array(
    z.object({
      server: z.string(),
      environments: z.array(z.string()),
      versions: z.array(z.string()),
      clients: z.array(z.string()),
      tools: z.array(z.string()),
      lastEventAt: time,
    }),
  ),
  nextCursor: optionalCursor,
});
export type ServersResponse = z.infer<typeof ServersResponse>;

export const ToolRow = z.object({
  server: z.string(),
  tool: z.string(),
  calls: count,
  callsPerMinute: z.number().nonnegative(),
  sessions: count,
  errors: count,
  errorRate: rate,
  p50Ms: milliseconds,
  p95Ms: milliseconds,
  p99Ms: milliseconds,
  lastCalledAt: time,
});
export type ToolRow = z.infer<typeof ToolRow>;
export const ToolsResponse = z.object({ range: Range, tools: z.array(ToolRow), nextCursor: optionalCursor });
export type ToolsResponse = z.infer<typeof ToolsResponse>;

export const ErrorRow = z.object({
  server: z.string(),
  tool: z.string(),
  code: z.string(),
  outcome: z.enum(OUTCOMES),
  fault: z.enum(FAULTS),
  count: count,
  /** Share of the tool's errors. */
  share: rate,
  /** Share of the tool's calls. */
  rate: rate,
});
export type ErrorRow = z.infer<typeof ErrorRow>;
export const ErrorsResponse = z.object({
  range: Range,
  errors: z.array(ErrorRow),
  nextCursor: optionalCursor,
});
export type ErrorsResponse = z.infer<typeof ErrorsResponse>;

export const NeverCalledTool = z.object({
  server: z.string(),
  tool: z.string(),
  firstSeenAt: time,
  lastListedAt: time,
  /** Number of `tools/list` responses that contained the tool, within the retention of single calls. */
  listings: count,
  /** Number of sessions in the same period. */
  sessions: count,
  /** Estimated tokens of the definition in each listing (characters / 4). */
  definitionTokens: count,
  /** The tool of the same server with the most similar name or description; null when there is none. */
  similarTo: z.string().nullable(),
});
export type NeverCalledTool = z.infer<typeof NeverCalledTool>;
export const NeverCalledResponse = z.object({
  tools: z.array(NeverCalledTool),
  /** Servers that were called but never listed their tools, so their never-called tools are unknown. */
  unknownCatalogues: z.array(z.string()),
  nextCursor: optionalCursor,
});
export type NeverCalledResponse = z.infer<typeof NeverCalledResponse>;
