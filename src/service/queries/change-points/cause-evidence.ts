// What a change is put down to: its calls by version, client, refused argument and code, and the time and failures of
// their dependencies, compared with the day before, and versions and definitions that were new at its onset. Read once, when a change is detected.
//
// The key of `calls` is server, five minutes and tool. One statement reads a day of one tool.

import { z } from 'zod';
import type { ChangePoint } from '../../../core/change-points/change-point.ts';
import {
  type CauseEvidence,
  type CausePart,
  type LikelyCause,
  rankCauses,
} from '../../../core/change-points/rank-causes.ts';
import { OUTCOMES_NOT_COUNTED } from '../../../core/model/outcome.ts';
import { count } from '../../store/row-codec.ts';
import type { StoreReader } from '../../store/store.ts';
import { TIMED } from '../query/call-source.ts';
import { allOf, rawSql, type Where, whereGiven } from '../query/filters.ts';
import { type CallCounts, readDependencyRows, toDependencyParts } from './dependency-evidence.ts';
import { inRangeOfMinutes, ofServer, type ServerScope } from './minute-range.ts';

/** What was read about a change. */
export interface ChangeEvidence {
  readonly causes: readonly LikelyCause[];
  /** 0 unless the change is of the latency. */
  readonly p95BeforeUs: number;
  readonly p95AfterUs: number;
}

const DAY_MINUTES = 1_440;
/** A version that was first seen this long before the onset may be its cause. */
const DEPLOY_MINUTES = 30;
const MAX_GROUPS = 5_000;
const NOT_COUNTED = OUTCOMES_NOT_COUNTED.map((outcome) => `'${outcome}'`).join(', ');

const GroupRow = z.object({
  version: z.string(),
  client: z.string(),
  code: z.string(),
  argument: z.string(),
  calls_before: count,
  calls_after: count,
  hits_before: count,
  hits_after: count,
  p95_before_us: z.number().nullable(),
  p95_after_us: z.number().nullable(),
});
type Group = z.infer<typeof GroupRow>;

/** @throws UpstreamError as `Store` does */
export async function readChangeEvidence(
  change: ChangePoint,
  server: ServerScope,
  store: StoreReader,
): Promise<ChangeEvidence> {
  const where = allOf(
    inRangeOfMinutes({ from: change.onset - DAY_MINUTES, to: change.detected + 1 }),
    ofServer(server),
    whereGiven('tool_name = {tool:String}', { tool: change.tool === '' ? undefined : change.tool }),
    rawSql(`side = 'server' AND method = 'tools/call' AND outcome NOT IN (${NOT_COUNTED})`),
  );
  const [groups, newVersions, dependencies] = await Promise.all([
    readGroups(change, where, store),
    readNewVersions(change, server, store),
    change.kind === 'calls' ? [] : readDependencyRows(change, server, store),
  ]);
  const total = groups.find(({ version }) => version === TOTAL);
  const parts = groups.filter(({ version }) => version !== TOTAL);
  return {
    causes: rankCauses({
      ...toEvidence(change, parts),
      newVersions,
      dependencies: toDependencyParts(dependencies, { kind: change.kind, counts: countCalls(parts) }),
    }),
    p95BeforeUs: Math.round(total?.p95_before_us ?? 0),
    p95AfterUs: Math.round(total?.p95_after_us ?? 0),
  };
}

const countCalls = (groups: readonly Group[]): CallCounts => ({
  callsBefore: sumOf(groups, 'calls_before'),
  callsAfter: sumOf(groups, 'calls_after'),
  hitsBefore: sumOf(groups, 'hits_before'),
  hitsAfter: sumOf(groups, 'hits_after'),
});

/** Not a version: those are trimmed. */
const TOTAL = ' ';

async function readGroups(change: ChangePoint, where: Where, store: StoreReader): Promise<Group[]> {
  const isAfter = `started_at >= fromUnixTimestamp({onset_s:Int64})`;
  return store.query({
    sql: `
    SELECT
      if(grouping(server_version) = 1, '${TOTAL}', toString(server_version)) AS version,
      toString(client_name) AS client,
      if(fault = 'none', '', if(error_code = '', toString(outcome), toString(error_code))) AS code,
      toString(error_argument) AS argument,
      countIf(NOT is_after) AS calls_before,
      countIf(is_after) AS calls_after,
      countIf(NOT is_after AND is_hit) AS hits_before,
      countIf(is_after AND is_hit) AS hits_after,
      quantileBFloat16If(0.95)(duration_us, NOT is_after AND is_timed) AS p95_before_us,
      quantileBFloat16If(0.95)(duration_us, is_after AND is_timed) AS p95_after_us
    FROM (
      SELECT *, ${isAfter} AS is_after, ${TIMED} AS is_timed, ${toHitSql(change)} AS is_hit
      FROM calls
      WHERE ${where.sql}
    )
    GROUP BY GROUPING SETS ((server_version, client_name, fault, error_code, outcome, error_argument), ())
    LIMIT ${MAX_GROUPS}`,
    params: {
      ...where.params,
      onset_s: change.onset * 60,
      hit_code: change.code,
      slow_us: Math.round(change.slowFromUs ?? 0),
    },
    row: GroupRow,
  });
}

function toHitSql({ kind, code }: ChangePoint): string {
  if (kind === 'calls') return 'true';
  if (kind === 'latency') return `(${TIMED} AND duration_us >= {slow_us:UInt64})`;
  if (code === '') return `(fault != 'none')`;
  return `(fault != 'none' AND if(error_code = '', toString(outcome), toString(error_code)) = {hit_code:String})`;
}

function toEvidence(
  change: ChangePoint,
  groups: readonly Group[],
): Omit<CauseEvidence, 'newVersions' | 'dependencies'> {
  const toParts = (field: 'version' | 'client' | 'argument' | 'code', isOfFailures: boolean): CausePart[] =>
    [...new Set(groups.map((group) => group[field]))].map((name) =>
      toPart(change, { name, own: groups.filter((group) => group[field] === name), groups, isOfFailures }),
    );
  const isErrors = change.kind === 'errors';
  return {
    versions: toParts('version', false).filter(({ name }) => name !== ''),
    clients: toParts('client', false).filter(({ name }) => name !== ''),
    arguments: isErrors ? toParts('argument', true) : [],
    codes: isErrors ? toParts('code', true) : [],
  };
}

interface PartGroups {
  readonly name: string;
  readonly own: readonly Group[];
  readonly groups: readonly Group[];
  /** Whether only failed calls have the name, so that its share is one of all calls. */
  readonly isOfFailures: boolean;
}

function toPart(
  { kind, onset, detected }: ChangePoint,
  { name, own, groups, isOfFailures }: PartGroups,
): CausePart {
  const of = isOfFailures ? groups : own;
  const [calls, before] = [sumOf(of, 'calls_after'), sumOf(of, 'calls_before')];
  const [hits, hitsBefore] = [sumOf(own, 'hits_after'), sumOf(own, 'hits_before')];
  // A version or client without calls before is compared with all.
  const base =
    before > 0
      ? hitsBefore / before
      : sumOf(groups, 'hits_before') / Math.max(1, sumOf(groups, 'calls_before'));
  const usual = kind === 'calls' ? (before * (detected + 1 - onset)) / DAY_MINUTES : calls * base;
  return { name, calls, hits, usual };
}

const sumOf = (
  groups: readonly Group[],
  field: 'calls_after' | 'calls_before' | 'hits_after' | 'hits_before',
): number => groups.reduce((sum, group) => sum + group[field], 0);

const VersionRow = z.object({ version: z.string(), has_new_definition: count });

/** Versions that were first seen at about the onset, and whether the tool has a definition that only they have. */
async function readNewVersions(
  { onset, detected, tool }: ChangePoint,
  server: ServerScope,
  store: StoreReader,
): Promise<CauseEvidence['newVersions']> {
  const where = ofServer(server);
  const rows = await store.query({
    sql: `
    SELECT
      toString(name) AS version,
      name IN (
        SELECT arrayJoin(only_versions)
        FROM (
          SELECT groupUniqArrayArray(versions) AS only_versions
          FROM tools
          WHERE server_name = {server:String} AND tool_name = {tool:String}
          GROUP BY definition_hash
          HAVING min(first_seen) >= fromUnixTimestamp({from_s:Int64}) AND min(first_seen) < fromUnixTimestamp({to_s:Int64})
        )
      ) AS has_new_definition
    FROM name_sightings
    WHERE part = 'version' AND ${where.sql}
    GROUP BY name
    HAVING min(first_seen) >= fromUnixTimestamp({from_s:Int64}) AND min(first_seen) < fromUnixTimestamp({to_s:Int64})
    LIMIT 20`,
    params: {
      ...where.params,
      tool,
      from_s: (onset - DEPLOY_MINUTES) * 60,
      to_s: (detected + 1) * 60,
    },
    row: VersionRow,
  });
  return rows.map(({ version, has_new_definition }) => ({
    version,
    hasNewDefinition: has_new_definition !== 0,
  }));
}
