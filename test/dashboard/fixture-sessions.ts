// What the service says of the fixture's sessions: of which kind one is, and how many there are of each. Pauses and clients that
// keep starting are told from the ids of the runs that were made to show them.

import type { CallRow } from '../../src/contract/calls.ts';
import { SessionCountsResponse } from '../../src/contract/session-counts.ts';
import type { SessionCallRow, SessionRow, SessionsQuery } from '../../src/contract/sessions.ts';
import type { TimeRange } from '../../src/contract/time-range.ts';

type SessionKindFilter = Pick<
  SessionsQuery,
  'minCalls' | 'maxCalls' | 'looping' | 'failed' | 'ended' | 'paused' | 'booting'
>;

const isBooting = ({ sessionId }: SessionRow): boolean => sessionId.startsWith('boot-');
const hasPaused = ({ sessionId }: SessionRow): boolean => sessionId.startsWith('paused-');
const hasAllFailed = ({ calls, errors }: SessionRow): boolean => calls > 0 && errors === calls;
const endedOnError = ({ lastFault }: SessionRow): boolean => lastFault !== null && lastFault !== 'none';

export function matchesKind(row: SessionRow, kinds: SessionKindFilter): boolean {
  const flags: readonly (readonly [string | undefined, boolean])[] = [
    [kinds.looping, row.loops > 0],
    [kinds.paused, hasPaused(row)],
    [kinds.booting, isBooting(row)],
    [kinds.failed && 'true', hasAllFailed(row)],
    [kinds.ended && 'true', endedOnError(row)],
  ];
  return (
    row.calls >= kinds.minCalls &&
    row.calls <= (kinds.maxCalls ?? Number.POSITIVE_INFINITY) &&
    flags.every(([wanted, is]) => wanted === undefined || (wanted === 'true') === is)
  );
}

const BARS = [0, 1, 2, 4, 8, 16, 31, 61, 121, 251, 501] as const;

export function countSessions(rows: readonly SessionRow[], range: TimeRange): SessionCountsResponse {
  const count = (isCounted: (row: SessionRow) => boolean): number => rows.filter(isCounted).length;
  const uncalled = rows.filter(({ calls }) => calls === 0);
  const whose = [...new Set(uncalled.map(({ server, client }) => `${server} ${client}`))];
  return SessionCountsResponse.parse({
    range,
    total: rows.length,
    overThirty: count(({ calls }) => calls > 30),
    looping: count(({ loops }) => loops > 0),
    allFailed: count(hasAllFailed),
    endedOnError: count(endedOnError),
    paused: count(hasPaused),
    oneCall: count(({ calls }) => calls === 1),
    uncalled: uncalled.length,
    booting: count(isBooting),
    cut: count(
      ({ startedAt, endedAt }) => Date.parse(startedAt) < range.fromMs || Date.parse(endedAt) >= range.toMs,
    ),
    callsPerSession: BARS.map((from, at) => {
      const to = (BARS[at + 1] ?? Number.POSITIVE_INFINITY) - 1;
      return {
        from,
        to: Number.isFinite(to) ? to : null,
        sessions: count(({ calls }) => calls >= from && calls <= to),
      };
    }),
    uncalledBy: whose.map((name) =>
      toUncalled(uncalled.filter((row) => `${row.server} ${row.client}` === name)),
    ),
  });
}

function toUncalled(rows: readonly SessionRow[]) {
  const began = rows
    .filter(isBooting)
    .map(({ startedAt }) => startedAt)
    .sort();
  return {
    server: rows[0]?.server,
    client: rows[0]?.client,
    sessions: rows.length,
    connected: rows.filter(({ connected }) => connected).length,
    listedTools: rows.filter(({ listedTools }) => listedTools).length,
    booting: began.length,
    bootingFrom: began[0] ?? null,
    bootingTo: began.at(-1) ?? null,
  };
}

/** A fixture's call may say itself what it can be compared by. */
export function toSessionCall(call: CallRow & Partial<SessionCallRow>): SessionCallRow {
  return {
    argumentFingerprints: {},
    argumentsMaskedFingerprint: '',
    resultMaskedFingerprint: '',
    resultSimilarity: '',
    resultLines: 0,
    errorFingerprint: '',
    fingerprintKeyId: 'k1',
    ...call,
  };
}
