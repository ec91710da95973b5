// Storms as the API tells them: the same failure or the same loop in many sessions at once, one finding about a server or a
// tool. Their sessions are those of the loops that carry the storm's id.

import { z } from 'zod';
import { LOOP_CAUSES } from '../core/model/loop-cause.ts';
import { LOOP_STATES } from '../core/model/loop-notice.ts';
import { STORM_KINDS } from '../core/model/storm-record.ts';
import { CommonQuery, filterValue, pageCursor, pageLimit } from './query.ts';

const count = z.number().int().nonnegative();

export const StormRow = z.object({
  id: z.string(),
  server: z.string(),
  environment: z.string(),
  /** `failure`: the same failing call; `loop`: the same loop in the same tools. */
  kind: z.enum(STORM_KINDS),
  /** Of a failure: its error code; of a loop: its kind. */
  code: z.string(),
  /** The error's message without what varies in it; empty where the code says it all. */
  template: z.string(),
  tools: z.array(z.string()),
  /** Sessions that met it; more than those that went round in a loop because of it. */
  sessions: count,
  /** Failing calls, or calls that the loops wasted. */
  calls: count,
  firstAt: z.string(),
  lastAt: z.string(),
  state: z.enum(LOOP_STATES),
  /** For a person. */
  sentence: z.string(),
  cause: z.enum(LOOP_CAUSES),
});
export type StormRow = z.infer<typeof StormRow>;

/** Without client, version and plan: a storm goes through the sessions of many. */
export const StormsQuery = CommonQuery.pick({
  from: true,
  to: true,
  server: true,
  environment: true,
  tool: true,
}).extend({
  state: z.enum(LOOP_STATES).optional(),
  /** One storm by its id. */
  storm: filterValue.optional(),
  limit: pageLimit,
  cursor: pageCursor,
});
export type StormsQuery = z.infer<typeof StormsQuery>;

/** Storms that lie in the range at least in part, newest first; the counts are over all pages. */
export const StormsResponse = z.object({
  range: z.object({ fromMs: z.number(), toMs: z.number() }),
  storms: z.array(StormRow),
  total: count,
  active: count,
  nextCursor: z.string().nullable(),
});
export type StormsResponse = z.infer<typeof StormsResponse>;
