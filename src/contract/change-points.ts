// Changes of level: since when a tool or server fails more, is slower, or is called more or less than usual.

import { z } from 'zod';
import {
  CAUSE_KINDS,
  CHANGE_DIRECTIONS,
  CHANGE_POINT_KINDS,
  CHANGE_POINT_STATES,
} from '../core/model/change-point-kinds.ts';
import { count, milliseconds, Proportion, Range, rate } from './fields.ts';
import { CommonQuery } from './query.ts';

/** What a change is put down to, with its share of the excess. */
export const ChangeCause = z.object({
  kind: z.enum(CAUSE_KINDS),
  name: z.string(),
  share: rate,
});
export type ChangeCause = z.infer<typeof ChangeCause>;

export const ChangePointRow = z.object({
  id: z.string(),
  server: z.string(),
  environment: z.string(),
  /** Empty for the server as a whole. */
  tool: z.string(),
  kind: z.enum(CHANGE_POINT_KINDS),
  direction: z.enum(CHANGE_DIRECTIONS),
  /** For errors with one code; otherwise empty. */
  code: z.string(),
  state: z.enum(CHANGE_POINT_STATES),
  /** Whether it is worse: more errors, slower, or fewer calls. */
  isWorse: z.boolean(),
  onsetAt: z.string(),
  detectedAt: z.string(),
  /** Null while it is open, or where the level became the usual one at once. */
  endedAt: z.string().nullable(),
  sentence: z.string(),
  /** Most likely first; empty if the excess is spread over everything. */
  causes: z.array(ChangeCause),
  /** For `errors` and `latency`: the share of failed or slow calls before and since. Otherwise null. */
  share: z.object({ before: rate, after: Proportion }).nullable(),
  /** For `latency`. */
  p95: z.object({ beforeMs: milliseconds, afterMs: milliseconds }).nullable(),
  /** For `calls`. */
  callsPerMinute: z.object({ usual: z.number(), seen: z.number() }).nullable(),
  /** Calls since the onset, until it was detected or ended. */
  calls: count,
});
export type ChangePointRow = z.infer<typeof ChangePointRow>;

/** No filter by client, version or plan: the levels are of all calls of a tool. */
export const ChangePointsQuery = CommonQuery.pick({
  from: true,
  to: true,
  ...{ server: true, '-server': true },
  ...{ environment: true, '-environment': true },
  ...{ tool: true, '-tool': true },
});
export type ChangePointsQuery = z.infer<typeof ChangePointsQuery>;

/** Changes that overlap the range, newest onset first, at most 500. */
export const ChangePointsResponse = z.object({ range: Range, changePoints: z.array(ChangePointRow) });
export type ChangePointsResponse = z.infer<typeof ChangePointsResponse>;
