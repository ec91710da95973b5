// Counts of the session kinds that the overview shows, and the longest sessions of each: one pass over whole
// sessions for the tiles, the long-sessions panel and the attention list. All of them use this statement, so
// that it runs once.
//
// Serves the overview. `sessions` has parts per day, and every session of the range is counted.

import { z } from 'zod';
import { count } from '../../store/row-codec.ts';
import type { QueryContext } from '../query/query-context.ts';
import { ALL_FAILED, ENDED_ON_ERROR } from './session-kinds.ts';
import { type SessionScope, wholeSessions } from './session-scope.ts';

/** Sessions per kind: a panel of eight needs one more to know that there are others. */
export const MAX_TOPS = 9;

const TOP_CONDITIONS = {
  all_failed: ALL_FAILED,
  ended_after_error: ENDED_ON_ERROR,
  over_thirty: 'n > 30',
} as const;
export type TopKind = keyof typeof TOP_CONDITIONS;

/** The sort numbers of a session, and its stats. */
const Top = z.tuple([z.string(), count, count, count, count]);
const Row = z.object({
  sessions: count,
  all_failed: count,
  ended_after_error: count,
  over_thirty: count,
  all_failed_tops: z.array(Top),
  ended_after_error_tops: z.array(Top),
  over_thirty_tops: z.array(Top),
});

/** A session without its names. */
export interface TopSession {
  /** 64 bits as text. */
  readonly hash: string;
  readonly calls: number;
  readonly errors: number;
  readonly startedUs: number;
  readonly endedUs: number;
}

export interface TopSessions {
  readonly sessions: number;
  readonly counts: Readonly<Record<TopKind, number>>;
  /** Most calls first, then last ended. */
  readonly tops: Readonly<Record<TopKind, readonly TopSession[]>>;
}

/**
 * @param scope.range aligned
 * @throws UserError INVALID_PARAMETER when a filter needs calls that have expired
 */
export async function readTopSessions(scope: SessionScope, { store }: QueryContext): Promise<TopSessions> {
  const whole = wholeSessions(scope);
  const [row] = await store.query({ sql: topsSql(whole.sql), params: whole.params, row: Row });
  return {
    sessions: row?.sessions ?? 0,
    counts: {
      all_failed: row?.all_failed ?? 0,
      ended_after_error: row?.ended_after_error ?? 0,
      over_thirty: row?.over_thirty ?? 0,
    },
    tops: {
      all_failed: (row?.all_failed_tops ?? []).map(toTopSession),
      ended_after_error: (row?.ended_after_error_tops ?? []).map(toTopSession),
      over_thirty: (row?.over_thirty_tops ?? []).map(toTopSession),
    },
  };
}

function toTopSession([hash, calls, errors, startedUs, endedUs]: z.infer<typeof Top>): TopSession {
  return { hash, calls, errors, startedUs, endedUs };
}

/** Ascending sort columns are negated; a hash has all its bits inverted. */
function topsSql(whole: string): string {
  const kinds = Object.entries(TOP_CONDITIONS);
  const counts = kinds.map(([kind, sql]) => `countIf(${sql}) AS ${kind}`);
  const tops = kinds.map(
    ([kind, sql]) => `
      arrayMap(top -> (toString(bitNot(top.3)), -top.1, top.4, top.5, -top.2),
        groupArraySortedIf(${MAX_TOPS})((-toInt64(n), -ended_us, bitNot(identity_hash), failed, started_us), ${sql})) AS ${kind}_tops`,
  );
  return `
    SELECT
      count() AS sessions,
      ${counts.join(',\n      ')},${tops.join(',')}
    FROM (${whole})`;
}
