// What changed in a range: versions, tools and definitions by what servers listed, codes and clients by when they were first
// seen, rates and latencies against the range before, and the marks that people set.

import { z } from 'zod';
import type { ChangeRow, ChangesAnswer } from '../../contract/changes.ts';
import type { CommonQuery } from '../../contract/query.ts';
import type { TimeRange } from '../../contract/time-range.ts';
import { compareDefinitions } from '../../core/advice/compare-definitions.ts';
import { readAnnotations } from './annotations.ts';
import { keptRange } from './call-window.ts';
import { type ListedDefinition, readDefinitions } from './definitions.ts';
import { countedCalls } from './figures.ts';
import { allOf, type Filters, whereFilters } from './filters.ts';
import { alignRange, canAnswer, chooseGrain, rangeBefore } from './grain.ts';
import type { Asking, Resolved } from './ports.ts';
import { toProportion } from './proportion.ts';
import { count, Percentiles, percentilesMs, toIso } from './row-values.ts';
import { type DefinitionUse, readDefinitionUse } from './tool-versions.ts';

const MOST_CHANGES = 300;
/** Calls on both sides before a shift is told. */
const ENOUGH_CALLS = 20;
/** Points of the error rate, and times of the latency, that somebody would notice. */
const RATE_POINTS = 0.05;
const LATENCY_TIMES = 1.5;
const LATENCY_MS = 50;

/** Newest first. */
export async function answerChanges(query: Resolved<CommonQuery>, asking: Asking): Promise<ChangesAnswer> {
  const range = alignRange(query.range, asking);
  const { range: _, ...filters } = query;
  const parts = await Promise.all([
    readListedChanges(range, filters, asking),
    readNewCodes(range, filters, asking),
    readFirstSeen(range, filters, asking),
    readShifts(range, filters, asking),
    readMarks(range, filters, asking),
  ]);
  const changes = parts
    .flat()
    .sort((one, other) =>
      one.at === other.at ? compareText(one.tool, other.tool) : compareText(other.at, one.at),
    )
    .slice(0, MOST_CHANGES);
  return { range, changes };
}

const compareText = (one: string, other: string): number => (one < other ? -1 : Number(one > other));

const NO_FIGURES = { before: null, after: null, isBreaking: false };
const isIn = (us: number, { fromMs, toMs }: TimeRange): boolean => us >= fromMs * 1_000 && us < toMs * 1_000;

/** Tools that came, went or read differently. The first listing of a server is no change: nothing was before it. */
async function readListedChanges(range: TimeRange, filters: Filters, asking: Asking): Promise<ChangeRow[]> {
  const definitions = await readDefinitions(filters, asking);
  const changed = definitions.filter((listed, at) => {
    const before = previousOf(definitions.slice(0, at), listed);
    return before !== undefined && isIn(listed.firstUs, range);
  });
  const uses = changed.length === 0 ? [] : await readUses(range, filters, asking);
  const firstOf = firstListings(await knownFrom(filters, definitions, asking));
  return [
    ...changed.flatMap((listed) => {
      const before = previousOf(definitions.slice(0, definitions.indexOf(listed)), listed);
      return before === undefined ? [] : [toDefinitionChange(before, listed, uses)];
    }),
    ...definitions
      .filter(
        (listed, at) =>
          previousOf(definitions.slice(0, at), listed) === undefined && isIn(listed.firstUs, range),
      )
      .filter(({ server, firstUs }) => firstUs > (firstOf.get(server) ?? 0))
      .map((listed) => toToolChange('tool_added', listed, listed.firstUs)),
    ...removedTools(definitions)
      .filter(({ lastUs }) => isIn(lastUs, range))
      .map((listed) => toToolChange('tool_removed', listed, listed.lastUs)),
  ];
}

/** A filter for one tool hides the others, by which the first listing of a server is known. */
async function knownFrom(filters: Filters, definitions: readonly ListedDefinition[], asking: Asking) {
  return filters.tool === undefined ? definitions : readDefinitions({ ...filters, tool: undefined }, asking);
}

function firstListings(definitions: readonly ListedDefinition[]): Map<string, number> {
  const first = new Map<string, number>();
  for (const { server, firstUs } of definitions)
    first.set(server, Math.min(firstUs, first.get(server) ?? Number.POSITIVE_INFINITY));
  return first;
}

function previousOf(earlier: readonly ListedDefinition[], { server, tool }: ListedDefinition) {
  return earlier.findLast((other) => other.server === server && other.tool === tool);
}

/** Of a tool that no newest listing has, the definition that stood last. */
export function removedTools(definitions: readonly ListedDefinition[]): ListedDefinition[] {
  const last = new Map<string, ListedDefinition>();
  for (const listed of definitions) {
    const key = `${listed.server}\n${listed.tool}`;
    const other = last.get(key);
    if (other === undefined || listed.isCurrent || (!other.isCurrent && listed.lastUs >= other.lastUs))
      last.set(key, listed);
  }
  return [...last.values()].filter(({ isCurrent }) => !isCurrent);
}

function toToolChange(kind: 'tool_added' | 'tool_removed', listed: ListedDefinition, us: number): ChangeRow {
  return {
    ...NO_FIGURES,
    kind,
    at: toIso(us),
    server: listed.server,
    environment: listed.environments.length === 1 ? (listed.environments[0] ?? '') : '',
    tool: listed.tool,
    sentence: kind === 'tool_added' ? `${listed.tool} is new` : `${listed.tool} is no longer listed`,
    isBreaking: kind === 'tool_removed',
  };
}

function toDefinitionChange(
  before: ListedDefinition,
  after: ListedDefinition,
  uses: readonly DefinitionUse[],
): ChangeRow {
  const differences =
    before.definition === undefined || after.definition === undefined
      ? []
      : compareDefinitions([before.definition], [after.definition]);
  const said = differences.slice(0, 3).map(({ sentence }) => sentence);
  const isBreaking = differences.some(({ breaking }) => breaking);
  return {
    kind: 'definition',
    at: toIso(after.firstUs),
    server: after.server,
    environment: after.environments.length === 1 ? (after.environments[0] ?? '') : '',
    tool: after.tool,
    sentence: `${after.tool}: ${said.join('; ') || 'its definition reads differently'}${
      differences.length > 3 ? ` and ${differences.length - 3} more` : ''
    }${isBreaking ? ' (breaking)' : ''}`,
    isBreaking,
    before: errorRateOf(before, uses),
    after: errorRateOf(after, uses),
  };
}

function errorRateOf({ server, tool, hash }: ListedDefinition, uses: readonly DefinitionUse[]) {
  const use = uses.find((one) => one.server === server && one.tool === tool && one.hash === hash);
  const { value, n } = toProportion(use?.failed ?? 0, use?.n ?? 0);
  return { value, n };
}

/** Of the range and as long a time before it, so that the definition before has calls too. */
async function readUses(range: TimeRange, filters: Filters, asking: Asking): Promise<DefinitionUse[]> {
  const kept = keptRange({ fromMs: rangeBefore(range, asking).fromMs, toMs: range.toMs }, asking);
  if (kept === undefined) return [];
  return readDefinitionUse({ span: kept, filters }, asking);
}

const CodeRow = z.object({
  server: z.string(),
  tool: z.string(),
  code: z.string(),
  environment_of: z.string(),
  first_us: count,
});

/** A code is new for a tool when it had never failed with it; of a tool's first failures too. */
function readNewCodes(range: TimeRange, filters: Filters, asking: Asking): Promise<ChangeRow[]> {
  const where = whereFilters(filters, ['server', 'environment', 'tool', 'code']);
  return asking.store
    .query({
      sql: `
    SELECT
      server_name AS server,
      tool_name AS tool,
      toString(error_code) AS code,
      if(uniqExact(environment) = 1, toString(any(environment)), '') AS environment_of,
      toUnixTimestamp64Micro(min(first_seen)) AS first_us
    FROM failure_sightings
    WHERE ${allOf(where).sql}
    GROUP BY server, tool, code
    HAVING min(first_seen) >= fromUnixTimestamp64Milli({from_ms:Int64}, 'UTC') AND min(first_seen) < fromUnixTimestamp64Milli({to_ms:Int64}, 'UTC')
    ORDER BY first_us DESC
    LIMIT ${MOST_CHANGES}`,
      params: { ...where.params, from_ms: range.fromMs, to_ms: range.toMs },
      row: CodeRow,
    })
    .then((rows) =>
      rows.map((row) => ({
        ...NO_FIGURES,
        kind: 'new_code' as const,
        at: toIso(row.first_us),
        server: row.server,
        environment: row.environment_of,
        tool: row.tool,
        sentence: `${row.tool} failed with ${row.code === '' ? 'no code' : row.code} for the first time`,
      })),
    );
}

const SeenRow = z.object({
  part: z.enum(['version', 'client']),
  server: z.string(),
  name: z.string(),
  before_name: z.string(),
  first_us: count,
  environment_of: z.string(),
});

/** Versions and clients that no session had before. `sessions` has a row per session and day, so thirteen months are cheap. */
function readFirstSeen(range: TimeRange, filters: Filters, asking: Asking): Promise<ChangeRow[]> {
  const where = allOf(whereFilters(filters, ['server', 'environment']));
  return asking.store
    .query({
      sql: `
    SELECT *
    FROM (
      SELECT
        part,
        server,
        name,
        toUnixTimestamp64Micro(min(started)) AS first_us,
        if(uniqExact(environment_in) = 1, any(environment_in), '') AS environment_of,
        lagInFrame(name, 1, '') OVER (PARTITION BY part, server ORDER BY min(started) ROWS BETWEEN 1 PRECEDING AND CURRENT ROW) AS before_name
      FROM (
        SELECT
          server_name AS server,
          toString(environment) AS environment_in,
          started_at AS started,
          arrayJoin([('version', toString(server_version)), ('client', toString(client_name))]) AS pair,
          pair.1 AS part,
          pair.2 AS name
        FROM sessions
        WHERE ${where.sql}
      )
      WHERE name != ''
      GROUP BY part, server, name
    )
    WHERE before_name != '' AND first_us >= {from_us:Int64} AND first_us < {to_us:Int64}
    ORDER BY first_us DESC
    LIMIT ${MOST_CHANGES}`,
      params: { ...where.params, from_us: range.fromMs * 1_000, to_us: range.toMs * 1_000 },
      row: SeenRow,
    })
    .then((rows) =>
      rows.map((row) => ({
        ...NO_FIGURES,
        kind: row.part === 'version' ? ('version' as const) : ('new_client' as const),
        at: toIso(row.first_us),
        server: row.server,
        environment: row.environment_of,
        tool: '',
        sentence:
          row.part === 'version'
            ? `${row.before_name} → ${row.name}`
            : `${row.name} connected for the first time`,
      })),
    );
}

const ShiftRow = z.object({
  server: z.string(),
  tool: z.string(),
  n: count,
  failed: count,
  timed: count,
  percentiles: Percentiles,
});
type ShiftRow = z.infer<typeof ShiftRow>;

/** Tools whose error rate or latency is another than in the range before, by more than chance. */
async function readShifts(range: TimeRange, filters: Filters, asking: Asking): Promise<ChangeRow[]> {
  const before = rangeBefore(range, asking);
  if (!canAnswer(before, filters, asking)) return [];
  const [now, then] = await Promise.all([
    readFigures(range, filters, asking),
    readFigures(before, filters, asking),
  ]);
  return now.flatMap((row) => {
    const other = then.find(({ server, tool }) => server === row.server && tool === row.tool);
    if (other === undefined || other.n < ENOUGH_CALLS || row.n < ENOUGH_CALLS) return [];
    return [...toRateShift(other, row, range), ...toLatencyShift(other, row, range)];
  });
}

function readFigures(range: TimeRange, filters: Filters, asking: Asking): Promise<ShiftRow[]> {
  const { figures, where } = countedCalls(chooseGrain(range, filters, asking), { range, filters });
  return asking.store.query({
    sql: `
    SELECT
      server_name AS server,
      tool_name AS tool,
      ${figures.calls} AS n,
      ${figures.errors} AS failed,
      ${figures.timed} AS timed,
      ${figures.percentiles} AS percentiles
    FROM ${figures.table}
    WHERE ${where.sql}
    GROUP BY server, tool
    HAVING n >= ${ENOUGH_CALLS}
    ORDER BY n DESC
    LIMIT 1000`,
    params: where.params,
    row: ShiftRow,
  });
}

function toRateShift(before: ShiftRow, after: ShiftRow, range: TimeRange): ChangeRow[] {
  const [old, now] = [toProportion(before.failed, before.n), toProportion(after.failed, after.n)];
  if (old.value === null || now.value === null) return [];
  const isApart = (old.high ?? 1) < (now.low ?? 0) || (now.high ?? 1) < (old.low ?? 0);
  if (!isApart || Math.abs(now.value - old.value) < RATE_POINTS) return [];
  return [
    {
      ...placeOf(after, range),
      kind: 'error_shift',
      sentence: `${after.tool} fails ${percent(now.value)}, ${percent(old.value)} before`,
      before: { value: old.value, n: old.n },
      after: { value: now.value, n: now.n },
    },
  ];
}

function toLatencyShift(before: ShiftRow, after: ShiftRow, range: TimeRange): ChangeRow[] {
  const [old, now] = [percentilesMs(before).p95Ms, percentilesMs(after).p95Ms];
  if (old === null || now === null || before.timed < ENOUGH_CALLS || after.timed < ENOUGH_CALLS) return [];
  const [less, more] = [Math.min(old, now), Math.max(old, now)];
  if (more < less * LATENCY_TIMES || more - less < LATENCY_MS) return [];
  return [
    {
      ...placeOf(after, range),
      kind: 'latency_shift',
      sentence: `p95 of ${after.tool} is ${Math.round(now)} ms, ${Math.round(old)} ms before`,
      before: { value: old, n: before.timed },
      after: { value: now, n: after.timed },
    },
  ];
}

/** A shift has no instant; it is of the whole range, and stands at its start. */
function placeOf({ server, tool }: ShiftRow, { fromMs }: TimeRange) {
  return { at: toIso(fromMs * 1_000), server, environment: '', tool, isBreaking: false };
}

const percent = (value: number): string => `${Number((value * 100).toFixed(value < 0.1 ? 1 : 0))} %`;

async function readMarks(range: TimeRange, filters: Filters, asking: Asking): Promise<ChangeRow[]> {
  const marks = await readAnnotations(range, filters, asking);
  return marks.map(({ at, server, environment, text }) => ({
    ...NO_FIGURES,
    ...{ kind: 'annotation' as const, at, server, environment, tool: '', sentence: text },
  }));
}
