// Storms in the API: the same failure or the same loop in many sessions at once, reported as one finding
// about a server or a tool. The loops of a storm's sessions carry the storm's id.

import { z } from 'zod';
import { LOOP_CAUSES, LOOP_STATES } from '../core/model/loop-record.ts';
import { STORM_KINDS } from '../core/model/storm-record.ts';
import { count, Range } from './fields.ts';
import { CommonQuery, filterValue, pageCursor, pageLimit } from './query.ts';

export const StormRow = z.object({
  id: z.string(),
  server: z.string(),
  environment: z.string(),
  /** `failure`: the same failing call. `loop`: the same loop in the same tools. */
  kind: z.enum(STORM_KINDS),
  /** Error code of a failure, or kind of a loop. */
  code: z.string(),
  /** Error message without its variable parts; empty when the code is sufficient. */
  template: z.string(),
  tools: z.array(z.string()),
  /** Affected sessions; includes sessions that did not loop. */
  sessions: count,
  /** Failing calls, or calls that the loops wasted. */
  calls: count,
  firstAt: z.string(),
  lastAt: z.string(),
  state: z.enum(LOOP_STATES),
  sentence: z.string(),
  cause: z.enum(LOOP_CAUSES),
});
export type StormRow = z.infer<typeof StormRow>;

/** No filter by client, version or plan, because a storm spans sessions of several. */
export const StormsQuery = CommonQuery.pick({
  from: true,
  to: true,
  ...{ server: true, '-server': true },
  ...{ environment: true, '-environment': true },
  ...{ tool: true, '-tool': true },
}).extend({
  state: z.enum(LOOP_STATES).optional(),
  storm: filterValue.optional(),
  limit: pageLimit,
  cursor: pageCursor,
});
export type StormsQuery = z.infer<typeof StormsQuery>;

/** Storms that overlap the range, newest first; the counts cover all pages. */
export const StormsResponse = z.object({
  range: Range,
  storms: z.array(StormRow),
  total: count,
  active: count,
  nextCursor: z.string().nullable(),
});
export type StormsResponse = z.infer<typeof StormsResponse>;
