// The head of the overview: verdict, tiles, what they were in the range before, and how fresh all of it is. Rollups give the
// figures of both ranges in one row each; sessions and catalogue are asked as their own pages ask them, so that a tile
// and the page behind it show one number.

import { z } from 'zod';
import type { SummaryAnswer } from '../../contract/answers.ts';
import type { SummaryQuery } from '../../contract/query.ts';
import type { TimeRange } from '../../contract/time-range.ts';
import { comparedRange } from './compared-range.ts';
import { answeredRequests } from './figures.ts';
import { allOf, always, type Filters } from './filters.ts';
import { alignRange, canAnswer, chooseGrain, inRange, rangeBefore } from './grain.ts';
import { IS_LOOP, whereLoops } from './loops.ts';
import { readCatalogue, type ToolInCatalogue } from './never-called.ts';
import { isWorse, readNow } from './now.ts';
import type { Asking, Freshness, Resolved } from './ports.ts';
import { count, percentilesMs, toIso } from './row-values.ts';
import { countSessions } from './sessions.ts';
import { readTotals, type ToolTotals } from './tool-totals.ts';
import { type ErrorCount, formatCount, formatShare, judgeHealth } from './verdict.ts';
import { readVersionChange, type SinceVersion } from './version-change.ts';

type Totals = SummaryAnswer['totals'];

const LoopsRow = z.object({ sessions: count });
const WastedRow = z.object({ wasted: count });
const EventsRow = z.object({ last_seconds: count, servers: count });

/**
 * How the server is doing.
 *
 * @param freshness what ingest knows of calls that are not in the store
 */
export async function answerSummary(
  query: Resolved<SummaryQuery>,
  { asking, freshness }: { readonly asking: Asking; readonly freshness: Freshness },
): Promise<SummaryAnswer> {
  const range = alignRange(query.range, asking);
  const earlier = comparedRange(range, query.compare ?? 'prev', asking)?.range;
  const before = earlier !== undefined && canAnswer(earlier, query, asking) ? earlier : undefined;
  const [totals, previous, worst, catalogue, activeLoops, events, wastedCalls, toNow] = await Promise.all([
    readTiles(range, query, asking),
    before === undefined ? NOTHING : readTiles(before, query, asking),
    readWorst(range, query, asking),
    readCatalogue(query, asking),
    countActiveLoops(query, asking),
    readEvents(range, asking),
    countWastedCalls(range, query, asking),
    readNow(query, asking),
  ]);
  const neverCalledTools = neverCalledAt(catalogue, Number.POSITIVE_INFINITY);
  const lastEventMs = events.last_seconds === 0 ? undefined : events.last_seconds * 1_000;
  const isOneServer = query.server !== undefined || events.servers <= 1;
  const ofRange = judgeHealth({
    ...totals,
    lastEventMs,
    worst: worst && { ...worst, label: labelOf(worst, isOneServer) },
    activeLoops,
    neverCalledTools,
    listedTools: catalogue.length,
  });
  const now = toNow({ activeLoops, isOneServer });
  return {
    range,
    ...judgeBoth({ ofRange, now, totals }, range.toMs >= asking.nowMs),
    totals: { ...totals, neverCalledTools },
    previous: {
      ...previous,
      neverCalledTools: before === undefined ? 0 : neverCalledAt(catalogue, before.toMs * 1_000),
    },
    previousRange: before ?? null,
    loops: {
      activeSessions: activeLoops,
      wastedCalls,
      wastedShare: totals.calls === 0 ? null : Math.min(1, wastedCalls / totals.calls),
    },
    freshness: {
      lastEventAt: lastEventMs === undefined ? null : toIso(lastEventMs * 1_000),
      serversReporting: events.servers,
      ...freshness,
    },
  };
}

/** A tool's name alone says enough as long as one server is asked about. */
const labelOf = ({ server, tool }: Worst, isOneServer: boolean): string =>
  isOneServer ? tool : `${server}/${tool}`;

type Judged = Pick<SummaryAnswer, 'verdict' | 'sentence' | 'now'>;

interface Both {
  readonly ofRange: Omit<Judged, 'now'>;
  readonly now: NonNullable<SummaryAnswer['now']>;
  readonly totals: ErrorCount;
}

/** The worse of both where the range ends now; of a range in the past, its own. */
function judgeBoth({ ofRange, now, totals }: Both, endsNow: boolean): Judged {
  if (!endsNow || !isWorse(now.verdict, ofRange.verdict)) {
    const firing = endsNow ? formatFiring(now.firingAlerts) : '';
    return { ...ofRange, sentence: ofRange.sentence.replace(/\.$/, `${firing}.`), now };
  }
  const word = { failing: 'Failing', degraded: 'Degraded', looping: 'Looping' }[String(now.verdict)];
  const whole = totals.calls === 0 ? '' : `; ${formatShare(totals)} in the whole range`;
  const sentence = `${word}. ${now.sentence}${whole}${formatFiring(now.firingAlerts)}.`;
  return { verdict: now.verdict, sentence, now: { ...now, decides: true } };
}

function formatFiring(alerts: number): string {
  if (alerts === 0) return '';
  return alerts === 1 ? '; 1 alert is firing' : `; ${formatCount(alerts)} alerts are firing`;
}

/** Of today's catalogue, the tools that were known by then and had not been called by then. */
function neverCalledAt(catalogue: readonly ToolInCatalogue[], us: number): number {
  return catalogue.filter(
    ({ first_us, first_call_us }) => first_us < us && (first_call_us === 0 || first_call_us >= us),
  ).length;
}

/** Of a time whose calls are no longer kept, where a filter needs them. */
const NOTHING = {
  calls: 0,
  sessions: 0,
  errors: 0,
  errorRate: null,
  p50Ms: null,
  p95Ms: null,
  sessionsOverThirty: 0,
};

async function readTiles(
  range: TimeRange,
  filters: Filters,
  asking: Asking,
): Promise<Omit<Totals, 'neverCalledTools'>> {
  const [{ all }, sessions] = await Promise.all([
    readTotals({ range, filters }, asking),
    countSessions({ filters, range, asking }),
  ]);
  const counts = { sessions: sessions.sessions, sessionsOverThirty: sessions.over_thirty };
  if (all === undefined) return { ...NOTHING, ...counts };
  const { p50Ms, p95Ms } = percentilesMs(all);
  return {
    calls: all.n,
    errors: all.failed,
    errorRate: all.n === 0 ? null : all.failed / all.n,
    ...{ p50Ms, p95Ms },
    ...counts,
  };
}

interface Worst extends ErrorCount {
  readonly server: string;
  readonly tool: string;
  readonly before: ErrorCount;
  readonly since: SinceVersion | undefined;
}

/** The tool with the most errors, and how it did before. */
async function readWorst(range: TimeRange, filters: Filters, asking: Asking): Promise<Worst | undefined> {
  const { tools } = await readTotals({ range, filters }, asking);
  const [worst] = tools.filter(({ kept, failed }) => kept === 1 && failed > 0).sort(byErrors);
  if (!worst) return undefined;
  const { server, tool } = worst;
  const [before, since] = await Promise.all([
    readErrors(rangeBefore(range, asking), { filters, server, tool }, asking),
    readVersionChange({ range, filters: { ...filters, server, tool } }, asking),
  ]);
  return { server, tool, calls: worst.n, errors: worst.failed, before, since };
}

function byErrors(one: ToolTotals, other: ToolTotals): number {
  const [name, otherName] = [`${one.server}\n${one.tool}`, `${other.server}\n${other.tool}`];
  return other.failed - one.failed || one.n - other.n || (name < otherName ? -1 : 1);
}

interface OneTool {
  readonly filters: Filters;
  readonly server: string;
  readonly tool: string;
}

/** Of the tools that the tiles of the range before are made of. */
async function readErrors(
  range: TimeRange,
  { filters, server, tool }: OneTool,
  asking: Asking,
): Promise<ErrorCount> {
  if (!canAnswer(range, filters, asking)) return { calls: 0, errors: 0 };
  const { tools } = await readTotals({ range, filters }, asking);
  const row = tools.find((one) => one.server === server && one.kept === 1 && one.tool === tool);
  return { calls: row?.n ?? 0, errors: row?.failed ?? 0 };
}

/** Sessions that are going round in circles now; a loop's newest revision says whether it still is. */
async function countActiveLoops(filters: Filters, { store }: Asking): Promise<number> {
  const where = allOf(always(`state = 'active' AND ${IS_LOOP}`), whereLoops(filters));
  const [row] = await store.query({
    sql: `SELECT uniqExact(server_name, session_source, session_id) AS sessions FROM loops FINAL WHERE ${where.sql}`,
    params: where.params,
    row: LoopsRow,
  });
  return row?.sessions ?? 0;
}

/** Of the loops that began in the range: a loop's waste is not split at the edges of a range. */
async function countWastedCalls(range: TimeRange, filters: Filters, { store }: Asking): Promise<number> {
  const where = allOf(inRange('onset', range), always(IS_LOOP), whereLoops(filters));
  const [row] = await store.query({
    sql: `SELECT sum(wasted_calls) AS wasted FROM loops FINAL WHERE ${where.sql}`,
    params: where.params,
    row: WastedRow,
  });
  return row?.wasted ?? 0;
}

/** When anything last arrived, whatever is filtered, and how many servers sent something in the range. */
async function readEvents(range: TimeRange, asking: Asking): Promise<z.infer<typeof EventsRow>> {
  const { figures, where } = answeredRequests(chooseGrain(range, {}, asking), range);
  const [row] = await asking.store.query({
    sql: `
    SELECT
      (SELECT toUnixTimestamp(max(last_call)) FROM tool_hours WHERE bucket >= (SELECT max(bucket) FROM tool_hours)) AS last_seconds,
      (SELECT uniqExact(server_name) FROM ${figures.table} WHERE ${where.sql}) AS servers`,
    params: where.params,
    row: EventsRow,
  });
  return row ?? { last_seconds: 0, servers: 0 };
}
