// Failures of one tool, grouped by outcome, code, message and argument. Counts cover the range; the first
// time of a group is in its own table, so that "new" needs no read of all earlier calls.
//
// Serves the tool page. The keys of `failed_calls` and `failure_sightings` begin with server and tool.

import { createHash } from 'node:crypto';
import { z } from 'zod';
import type { TimeRange } from '../../../contract/time-range.ts';
import type { FailureGroup } from '../../../contract/tool.ts';
import { FAULTS, OUTCOMES } from '../../../core/model/outcome.ts';
import { formatIso } from '../../../core/values/date-time64.ts';
import { count } from '../../store/row-codec.ts';
import { type FailureSource, toFailureSource } from '../query/call-source.ts';
import { clipToRetention } from '../query/call-window.ts';
import {
  allOf,
  type CommonFilters,
  pickFilters,
  rawSql,
  type Where,
  whereFilters,
} from '../query/filters.ts';
import type { QueryContext } from '../query/query-context.ts';
import type { FailureSteps } from './call-order.ts';

const MAX_GROUPS = 50;
const MAX_SAMPLES = 5;
const MAX_CHANGED_ARGUMENTS = 10;

const Row = z.object({
  of_outcome: z.enum(OUTCOMES),
  of_fault: z.enum(FAULTS),
  code: z.string(),
  template: z.string(),
  argument: z.string(),
  /** 64 bits as text. */
  message: z.string(),
  n: count,
  all_failures: count,
  session_count: count,
  clients: z.array(z.string()),
  versions: z.array(z.string()),
  first_in_us: count,
  /** 0 if the first sighting is not stored yet. */
  sighted_us: count,
  last_us: count,
});
type Row = z.infer<typeof Row>;

const SampleRow = z.object({
  of_outcome: z.string(),
  code: z.string(),
  template: z.string(),
  argument: z.string(),
  started_us: count,
  trace_id: z.string(),
  span_id: z.string(),
  session_id: z.string(),
});
type SampleRow = z.infer<typeof SampleRow>;

export interface ToolFailures {
  readonly groups: readonly FailureGroup[];
  /** Refused calls by argument path, from the groups above. */
  readonly invalid: ReadonlyMap<string, number>;
}

interface ToolFailuresQuery {
  readonly range: TimeRange;
  /**
   * Where most samples are found: ids are long, and reading those of a whole month takes longer than the
   * counts.
   */
  readonly recent: TimeRange | undefined;
  /** With server and tool. */
  readonly filters: CommonFilters;
  /** What followed failures of this tool. */
  readonly steps: readonly FailureSteps[];
}

/** Failure groups, most frequent first. */
export async function readToolFailures(
  { range, recent, filters, steps }: ToolFailuresQuery,
  context: QueryContext,
): Promise<ToolFailures> {
  const kept = clipToRetention(range, context);
  if (kept === undefined) return { groups: [], invalid: new Map() };
  const source = toFailureSource({ range: kept, filters });
  const firstSeen = whereFilters('failure_sightings', pickFilters('failure_sightings', filters));
  const rows = await context.store.query({
    sql: failuresSql(source, firstSeen.sql),
    params: source.where.params,
    row: Row,
  });
  const samples = await readSamples({ rows, recent: recent ?? kept, kept, filters }, context);
  const invalid = new Map<string, number>();
  for (const { of_outcome, argument, n } of rows)
    if (of_outcome === 'invalid_arguments' && argument !== '')
      invalid.set(argument, (invalid.get(argument) ?? 0) + n);
  return { groups: rows.map((row) => toFailureGroup(row, { range, steps, samples })), invalid };
}

function failuresSql({ table, where }: FailureSource, firstSeen: string): string {
  return `
    SELECT *, toString(message_hash) AS message
    FROM (
      SELECT
        toString(outcome) AS of_outcome,
        toString(fault) AS of_fault,
        toString(error_code) AS code,
        error_message AS template,
        toString(error_argument) AS argument,
        cityHash64(error_message) AS message_hash,
        count() AS n,
        sum(n) OVER () AS all_failures,
        uniqCombinedIf(cityHash64(session_source, session_id), session_id != '') AS session_count,
        arraySort(groupUniqArrayIf(20)(toString(client_name), client_name != '')) AS clients,
        arraySort(groupUniqArrayIf(20)(toString(server_version), server_version != '')) AS versions,
        toUnixTimestamp64Micro(min(started_at)) AS first_in_us,
        toUnixTimestamp64Micro(max(started_at)) AS last_us
      FROM ${table}
      WHERE ${where.sql}
      GROUP BY of_outcome, of_fault, code, template, argument
      ORDER BY n DESC, of_outcome, code, template, argument
      LIMIT ${MAX_GROUPS}
    ) AS failure
    LEFT JOIN (
      SELECT
        toString(outcome) AS of_outcome,
        toString(error_code) AS code,
        toString(error_argument) AS argument,
        message_hash,
        toUnixTimestamp64Micro(min(first_seen)) AS sighted_us
      FROM failure_sightings
      WHERE ${firstSeen}
      GROUP BY of_outcome, code, argument, message_hash
    ) AS sighting USING (of_outcome, code, argument, message_hash)
    ORDER BY n DESC, of_outcome, code, template, argument`;
}

function toFailureGroup(
  row: Row,
  {
    range,
    steps,
    samples,
  }: Pick<ToolFailuresQuery, 'range' | 'steps'> & { readonly samples: readonly SampleRow[] },
): FailureGroup {
  const { of_outcome: outcome, of_fault: fault, code, template, argument } = row;
  const firstUs = row.sighted_us === 0 ? row.first_in_us : Math.min(row.sighted_us, row.first_in_us);
  const own = steps.filter(
    (one) =>
      one.outcome === outcome && one.code === code && one.template === template && one.argument === argument,
  );
  return {
    id: createHash('sha256')
      .update(JSON.stringify([outcome, code, template, argument]))
      .digest('hex')
      .slice(0, 16),
    ...{ outcome, fault, code, template, argument },
    count: row.n,
    share: row.n / row.all_failures,
    sessions: row.session_count,
    clients: row.clients,
    versions: row.versions,
    firstSeenAt: formatIso(firstUs),
    lastSeenAt: formatIso(row.last_us),
    isNew: firstUs >= range.fromMs * 1_000,
    next: sumNextSteps(own),
    changedArguments: sumChangedArguments(own),
    samples: samples
      .filter((one) => isSameGroup(one, row))
      .slice(0, MAX_SAMPLES)
      .map(toCallLink),
  };
}

function sumChangedArguments(steps: readonly FailureSteps[]): FailureGroup['changedArguments'] {
  const counts = new Map<string, number>();
  for (const { changed } of steps)
    for (const [argument, calls] of Object.entries(changed))
      counts.set(argument, (counts.get(argument) ?? 0) + calls);
  return [...counts]
    .map(([argument, calls]) => ({ argument, count: calls }))
    .sort((one, other) => other.count - one.count || (one.argument < other.argument ? -1 : 1))
    .slice(0, MAX_CHANGED_ARGUMENTS);
}

type GroupKey = Pick<Row, 'of_outcome' | 'code' | 'template' | 'argument'>;

function isSameGroup(
  one: Omit<GroupKey, 'of_outcome'> & { readonly of_outcome: string },
  other: GroupKey,
): boolean {
  return (
    one.of_outcome === other.of_outcome &&
    one.code === other.code &&
    one.template === other.template &&
    one.argument === other.argument
  );
}

function toCallLink({
  trace_id,
  span_id,
  session_id,
  started_us,
}: SampleRow): FailureGroup['samples'][number] {
  return { traceId: trace_id, spanId: span_id, sessionId: session_id, startedAt: formatIso(started_us) };
}

interface SampleQuery {
  readonly rows: readonly Row[];
  readonly recent: TimeRange;
  readonly kept: TimeRange;
  readonly filters: CommonFilters;
}

/**
 * The newest calls of every group; samples missing from the newest calls are searched for in older ones, by
 * message.
 */
async function readSamples(
  { rows, recent, kept, filters }: SampleQuery,
  { store }: QueryContext,
): Promise<SampleRow[]> {
  if (rows.length === 0) return [];
  const read = (range: TimeRange, among: Where) => {
    const { table, where } = toFailureSource({ range, filters });
    const { sql, params } = allOf(where, among);
    return store.query({ sql: samplesSql(table, sql), params, row: SampleRow });
  };
  const found = await read(recent, rawSql(''));
  const samplesOf = (row: Row) => found.filter((sample) => isSameGroup(sample, row)).length;
  const lacking = rows.filter((row) => samplesOf(row) < Math.min(row.n, MAX_SAMPLES));
  if (lacking.length === 0 || recent.fromMs <= kept.fromMs) return found;
  const older = await read(
    { fromMs: kept.fromMs, toMs: recent.fromMs },
    {
      sql: 'cityHash64(error_message) IN {messages:Array(UInt64)}',
      // As numbers: the engine accepts no quotes in a list of numbers.
      params: { messages: [...new Set(lacking.map(({ message }) => message))].map(BigInt) },
    },
  );
  return [...found, ...older];
}

const samplesSql = (table: FailureSource['table'], where: string) => `
    SELECT
      toString(outcome) AS of_outcome,
      toString(error_code) AS code,
      error_message AS template,
      toString(error_argument) AS argument,
      toUnixTimestamp64Micro(started_at) AS started_us,
      trace_id,
      span_id,
      session_id
    FROM ${table}
    WHERE ${where}
    ORDER BY started_at DESC, trace_id DESC, span_id DESC
    LIMIT ${MAX_SAMPLES} BY of_outcome, code, template, argument
    LIMIT ${MAX_SAMPLES * 4 * MAX_GROUPS}`;

/** Sums the steps of several groups. */
export function sumNextSteps(steps: readonly FailureSteps[]): FailureGroup['next'] {
  const sum = (figure: (step: FailureSteps) => number) =>
    steps.reduce((total, step) => total + figure(step), 0);
  return {
    n: sum(({ n }) => n),
    sameCall: sum(({ sameCall }) => sameCall),
    changedArguments: sum(({ changedArguments }) => changedArguments),
    otherTool: sum(({ otherTool }) => otherTool),
    gaveUp: sum(({ gaveUp }) => gaveUp),
    recovered: sum(({ recovered }) => recovered),
  };
}
