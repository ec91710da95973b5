// Error groups: the calls of a server that failed with the same outcome, code and message, whatever the tool. People
// mark a group as resolved or ignored; whether it came back is decided from the calls since then.

import { z } from 'zod';
import { FAULTS, OUTCOMES } from '../core/model/outcome.ts';
import { count, Range, time } from './fields.ts';
import { CommonQuery, filterValue } from './query.ts';

/** `regressed`: seen again after it was resolved. The order is that of urgency. */
export const ERROR_GROUP_STATES = ['regressed', 'open', 'ignored', 'resolved'] as const;
export type ErrorGroupState = (typeof ERROR_GROUP_STATES)[number];

/** The states that a person can set. */
export const ERROR_GROUP_MARKS = ['open', 'resolved', 'ignored'] as const;

/** What a person said about a group last. */
export const ErrorGroupMark = z.object({
  mark: z.enum(ERROR_GROUP_MARKS),
  at: time,
  /** As given with the request; empty if it was not given. */
  author: z.string(),
  comment: z.string(),
  /** Of a resolved group: failures of older server versions do not count. Empty: every failure counts. */
  version: z.string(),
  /** Of an ignored group: until then; null for no limit. */
  until: time.nullable(),
  /** Of an ignored group: until it failed so often since; null for no limit. */
  untilCount: count.nullable(),
});
export type ErrorGroupMark = z.infer<typeof ErrorGroupMark>;

/** A mark as it is kept. */
export const StoredErrorGroupMark = ErrorGroupMark.extend({
  id: z.string(),
  /** Server versions on which the group had failed before `version`. */
  olderVersions: z.array(z.string()),
});
export type StoredErrorGroupMark = z.infer<typeof StoredErrorGroupMark>;
export const StoredErrorGroupMarks = z.object({ marks: z.array(StoredErrorGroupMark) });

const NamedCount = z.object({ name: z.string(), count });

export const ErrorGroupRow = z.object({
  /** Stable over time; derived from server, outcome, code and template. */
  id: z.string(),
  server: z.string(),
  outcome: z.enum(OUTCOMES),
  fault: z.enum(FAULTS),
  code: z.string(),
  /** The message with values masked; as it was sent where the capture mode keeps more. */
  template: z.string(),
  count,
  sessions: count,
  /** Most frequent first, at most twenty each. An empty name is a version or client that was not sent. */
  tools: z.array(NamedCount),
  versions: z.array(NamedCount),
  clients: z.array(NamedCount),
  firstSeenAt: time,
  lastSeenAt: time,
  state: z.enum(ERROR_GROUP_STATES),
  /** Null if the state was never changed. */
  marked: ErrorGroupMark.nullable(),
  /** Its failures after the mark, within the retention of single calls; 0 without a mark. */
  countSinceMark: count,
  /** The first failure that made it `regressed`; null in every other state. */
  regressed: z.object({ at: time, version: z.string() }).nullable(),
});
export type ErrorGroupRow = z.infer<typeof ErrorGroupRow>;

export const ErrorGroupsQuery = CommonQuery.extend({
  /** `unresolved`: open and regressed. */
  state: z.enum([...ERROR_GROUP_STATES, 'unresolved']).optional(),
  /** One group. */
  group: filterValue.optional(),
  limit: z.coerce.number().int().min(1).max(500).default(100),
});
export type ErrorGroupsQuery = z.infer<typeof ErrorGroupsQuery>;

/** The groups with a failure in the range: regressed ones first, then the most frequent. */
export const ErrorGroupsResponse = z.object({
  range: Range,
  groups: z.array(ErrorGroupRow),
  /** Groups in each state, listed or not. */
  totals: z.record(z.enum(ERROR_GROUP_STATES), count),
  /** False if the range has more than a thousand groups; then only the most frequent ones are considered. */
  isWhole: z.boolean(),
});
export type ErrorGroupsResponse = z.infer<typeof ErrorGroupsResponse>;

const YEAR_SECONDS = 31_536_000;

/** Body of `POST /api/v1/error-groups/:id/state`. */
export const ErrorGroupStateBody = z.strictObject({
  state: z.enum(ERROR_GROUP_MARKS),
  /** With `resolved`: the server version with the fix. */
  version: z.string().trim().max(128).optional(),
  /** With `ignored`: for so long. */
  seconds: z.number().int().min(60).max(YEAR_SECONDS).optional(),
  /** With `ignored`: until it fails so many times more. */
  count: z.number().int().min(1).max(1_000_000).optional(),
  author: z.string().trim().max(100).default(''),
  comment: z.string().trim().max(500).default(''),
});
export type ErrorGroupStateBody = z.infer<typeof ErrorGroupStateBody>;
