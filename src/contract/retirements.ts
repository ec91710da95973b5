// Tools that a newer one replaces, or that are deprecated: whether they can be removed, and who still calls them.

import { z } from 'zod';
import { count, optionalCursor, Range, time } from './fields.ts';
import { filterValue, pageCursor, toFilterFields } from './query.ts';

/** A verdict covers all environments and clients, whatever the range; so there are no other filters. */
export const RetirementsQuery = z.strictObject({
  ...toFilterFields({ server: filterValue }),
  /** Defaults to 1,000. */
  limit: z.coerce.number().int().min(1).max(1000).optional(),
  cursor: pageCursor,
});
export type RetirementsQuery = z.infer<typeof RetirementsQuery>;

/**
 * `safe`: no call for `requiredDays` days in which the server was in use. `still_called`: called within
 * `requiredDays` days. `too_early`: neither, because the tool is not known for as long, or its server was not in
 * use.
 */
export const RETIREMENT_VERDICTS = ['still_called', 'too_early', 'safe'] as const;
export type RetirementVerdict = (typeof RETIREMENT_VERDICTS)[number];

export const RetirementRow = z.object({
  server: z.string(),
  /** The tool to remove. */
  tool: z.string(),
  /** What to call instead; null when neither a name nor the description says. */
  successor: z.string().nullable(),
  /** `description`: its title or description says that it is deprecated. `name`: only its name says so. */
  reason: z.enum(['name', 'description']),
  /** Whether a catalogue in use still lists it; null if its server never listed its tools. */
  isListed: z.boolean().nullable(),
  verdict: z.enum(RETIREMENT_VERDICTS),
  /** Whole days without a call, until the server was last in use. */
  quietDays: count,
  /** Fourteen, or more if the tool was called again after a longer gap. */
  requiredDays: count,
  /** The longest gap between two days with a call; null when there are not two. */
  longestGapDays: count.nullable(),
  /** First listing or call. */
  knownSince: time,
  lastCalledAt: time.nullable(),
  /** The newest call or listing of the server. */
  serverSeenAt: time,
  /** Calls as far back as days are kept. */
  calls: count,
  successorCalls: count.nullable(),
  /** Clients that called it in the last `requiredDays` days, last one first; at most five. */
  callers: z.array(
    z.object({ client: z.string(), clientVersion: z.string(), calls: count, lastCalledAt: time }),
  ),
});
export type RetirementRow = z.infer<typeof RetirementRow>;

export const RetirementsResponse = z.object({
  /** The least number of days without a call before a tool is called safe to remove. */
  minQuietDays: count,
  /** Still called ones first, then too early ones; within them by server and tool. */
  retirements: z.array(RetirementRow),
  nextCursor: optionalCursor,
});
export type RetirementsResponse = z.infer<typeof RetirementsResponse>;

/** The path names the tool to remove. */
export const RetirementQuery = z.strictObject({ server: filterValue });
export type RetirementQuery = z.infer<typeof RetirementQuery>;

/** The calls of one tool by one version of a client. */
export const RetirementCaller = z.object({
  tool: z.string(),
  client: z.string(),
  clientVersion: z.string(),
  calls: count,
  errors: count,
  firstCalledAt: time,
  lastCalledAt: time,
  /** Days in UTC with a call, oldest first. */
  days: z.array(z.object({ atMs: z.number(), calls: count })),
});
export type RetirementCaller = z.infer<typeof RetirementCaller>;

export const RetirementResponse = z.object({
  retirement: RetirementRow,
  /** The whole days whose single calls are kept, today included: the range of `callers`. */
  counted: Range,
  /** Of the tool and of its successor; at most a hundred, most calls first. */
  callers: z.array(RetirementCaller),
});
export type RetirementResponse = z.infer<typeof RetirementResponse>;
