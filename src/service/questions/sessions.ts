// The list of sessions, and the panel of sessions over thirty invocations (`minCalls=31`). `sessions` is sorted by the
// identity and has a row per session and day, so counting whole sessions costs as much as there are sessions, not calls.
// A page is found by numbers alone; names are read for the sessions that are on it, in the days in which those went on.
//
// Pages follow the sort key, so none shows a session twice; one that goes on while somebody is turning pages moves
// forward, to pages that were already read.

import { z } from 'zod';
import type { SessionsAnswer } from '../../contract/answers.ts';
import type { SessionsQuery } from '../../contract/query.ts';
import type { TimeRange } from '../../contract/time-range.ts';
import { encodeCursor, parseCursor } from './cursor.ts';
import { allOf, always, type Filters, type Where } from './filters.ts';
import { alignRange } from './grain.ts';
import type { Asking, Resolved } from './ports.ts';
import { count } from './row-values.ts';
import { whichSessions } from './session-kinds.ts';
import { LOOPS_PER_SESSION, SESSION_COLUMNS, SessionColumns, toSessionRow } from './session-rows.ts';
import { IDENTITY, wholeSessions } from './session-scope.ts';
import { MOST_TOPS, readSessionTops } from './session-tops.ts';

const Key = z.tuple([z.int().nonnegative(), z.int().nonnegative(), z.string().regex(/^\d{1,20}$/)]);
type Key = z.infer<typeof Key>;

/** The sort key of each order, on the columns of `wholeSessions`; the hash makes it total. */
const ORDERS: Readonly<Record<SessionsQuery['order'], readonly [string, string]>> = {
  recent: ['ended_us', 'n'],
  calls: ['n', 'ended_us'],
  errors: ['failed', 'ended_us'],
  duration: ['ended_us - started_us', 'ended_us'],
};

/** Where a session stands in the list, without its names. */
const PlaceRow = z.object({
  hash: z.string(),
  key_1: count,
  key_2: count,
  started_us: count,
  ended_us: count,
});
type PlaceRow = z.infer<typeof PlaceRow>;

const CountRow = z.object({ sessions: count });

interface SessionCounts {
  readonly sessions: number;
  readonly over_thirty: number;
}

/** One page of the sessions that had a request in the range. */
export async function answerSessions(
  query: Resolved<SessionsQuery>,
  asking: Asking,
): Promise<SessionsAnswer> {
  const { order, limit, cursor } = query;
  const place =
    cursor === undefined ? undefined : parseCursor(`sessions:${order}`, { text: cursor, key: Key });
  const range = place?.range ?? alignRange(query.range, asking);
  const scope = { filters: query, range, reach: asking };
  const having = whichSessions(query, scope);
  const [places, counts] = await Promise.all([
    (await readTopPlaces(query, { ...scope, asking })) ??
      readPlaces(wholeSessions(scope, allOf(having, isAfter(place?.after, order))), { order, limit }, asking),
    countAsked(query, { ...scope, asking }, having),
  ]);
  const last = places[limit - 1];
  return {
    range,
    sessions: (await readNamed(places.slice(0, limit), asking)).map(toSessionRow),
    total: counts,
    nextCursor:
      places.length > limit && last
        ? encodeCursor(`sessions:${order}`, { range, after: [last.key_1, last.key_2, last.hash] })
        : null,
  };
}

type Query = Resolved<SessionsQuery>;

/** Whether a list is told apart by its number of calls alone. */
function isPlain({ maxCalls, failed, ended, looping, paused, booting }: Query): boolean {
  return [maxCalls, failed, ended, looping, paused, booting].every((kind) => kind === undefined);
}

/** The panel of long sessions: what an overview asks for its other panels says these too. Undefined for any other page. */
async function readTopPlaces(query: Query, asked: Asked): Promise<PlaceRow[] | undefined> {
  const { minCalls, order, limit, cursor } = query;
  const isPanel = minCalls === OVER_THIRTY && order === 'calls' && cursor === undefined;
  if (!isPanel || limit >= MOST_TOPS || !isPlain(query)) return undefined;
  const { tops } = await readSessionTops({ ...asked, reach: asked.asking }, asked.asking);
  return tops.over_thirty.slice(0, limit + 1).map(({ hash, calls, startedUs, endedUs }) => ({
    hash,
    key_1: calls,
    key_2: endedUs,
    started_us: startedUs,
    ended_us: endedUs,
  }));
}

/** How many there are on all pages: the panel of long sessions asks for what the tiles of its page count too. */
async function countAsked(query: Query, asked: Asked, having: Where): Promise<number> {
  if (isPlain(query) && query.minCalls === 0) return (await countSessions(asked)).sessions;
  if (isPlain(query) && query.minCalls === OVER_THIRTY) return (await countSessions(asked)).over_thirty;
  const whole = wholeSessions({ ...asked, reach: asked.asking }, having);
  const [row] = await asked.asking.store.query({
    sql: `SELECT count() AS sessions FROM (${whole.sql})`,
    params: whole.params,
    row: CountRow,
  });
  return row?.sessions ?? 0;
}

const OVER_THIRTY = 31;

interface Asked {
  readonly filters: Filters;
  readonly range: TimeRange;
  readonly asking: Asking;
}

/** How many sessions had a request in the range, and how many of those have more than thirty calls in all. */
export async function countSessions({ filters, range, asking }: Asked): Promise<SessionCounts> {
  const { sessions, counts } = await readSessionTops({ filters, range, reach: asking }, asking);
  return { sessions, over_thirty: counts.over_thirty };
}

function readPlaces(
  whole: Where,
  { order, limit }: Pick<SessionsQuery, 'order' | 'limit'>,
  { store }: Asking,
): Promise<PlaceRow[]> {
  const [first, second] = ORDERS[order];
  return store.query({
    sql: `
    SELECT toString(identity_hash) AS hash, ${first} AS key_1, ${second} AS key_2, started_us, ended_us
    FROM (${whole.sql})
    ORDER BY key_1 DESC, key_2 DESC, identity_hash DESC
    LIMIT ${limit + 1}`,
    params: whole.params,
    row: PlaceRow,
  });
}

/** The sessions of a page, whole, in the order of their places. */
async function readNamed(places: readonly PlaceRow[], { store }: Asking): Promise<SessionColumns[]> {
  if (places.length === 0) return [];
  const rows = await store.query({
    sql: `
    SELECT *
    FROM (
      SELECT ${SESSION_COLUMNS}
      FROM sessions
      WHERE day >= toDate(fromUnixTimestamp64Micro({first_us:Int64}, 'UTC'))
        AND day <= toDate(fromUnixTimestamp64Micro({last_us:Int64}, 'UTC'))
        AND sessions.identity_hash IN {hashes:Array(UInt64)}
      GROUP BY ${IDENTITY}
    ) AS page
    LEFT JOIN (${LOOPS_PER_SESSION}) AS found USING (${IDENTITY})`,
    params: {
      first_us: Math.min(...places.map(({ started_us }) => started_us)),
      last_us: Math.max(...places.map(({ ended_us }) => ended_us)),
      // As numbers: the engine takes no quotes in a list of numbers.
      hashes: places.map(({ hash }) => BigInt(hash)),
    },
    row: SessionColumns,
  });
  const byHash = new Map(rows.map((row) => [row.identity_hash, row]));
  // One that a purge took away in between is left out.
  return places.flatMap(({ hash }) => byHash.get(hash) ?? []);
}

function isAfter(key: Key | undefined, order: SessionsQuery['order']): Where {
  if (!key) return always('');
  return {
    sql: `(${ORDERS[order].join(', ')}, identity_hash) < ({key_1:Int64}, {key_2:Int64}, {key_3:UInt64})`,
    params: { key_1: key[0], key_2: key[1], key_3: key[2] },
  };
}
