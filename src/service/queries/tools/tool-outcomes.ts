// Outcomes of each tool's calls, for advice: result sizes, result contents, and how often failures say what
// to do. Results are known by shape only; shapes have a marker for a text that is JSON.

import { z } from 'zod';
import { estimateTokens } from '../../../core/advice/definition-tokens.ts';
import type {
  DuplicateEvidence,
  KeyReuseEvidence,
  ResultEvidence,
} from '../../../core/advice/tool-evidence.ts';
import { IDEMPOTENCY_KEY_PATTERN } from '../../../core/values/idempotency-key.ts';
import { count } from '../../store/row-codec.ts';
import { compareFingerprintsSql } from '../query/compare-fingerprints-sql.ts';
import type { Where } from '../query/filters.ts';
import type { QueryContext } from '../query/query-context.ts';
import { IDENTITY } from '../query/session-identity.ts';

const Row = z.object({
  server: z.string(),
  tool: z.string(),
  n: count,
  failed: count,
  known: count,
  session_count: count,
  last_us: count,
  clients: z.array(z.string()),
  measured: count,
  shaped: count,
  p95_bytes: z.number().nullable(),
  largest_bytes: count,
  structured: count,
  json_text: count,
  error_in_result: count,
  partial: count,
  long_lists: count,
  violations: count,
});

export interface ToolOutcome {
  readonly server: string;
  readonly tool: string;
  readonly calls: number;
  readonly errors: number;
  /** Calls whose argument names are known. */
  readonly known: number;
  readonly sessions: number;
  readonly lastUs: number;
  readonly clients: readonly string[];
  /** Measured results whose shape is known. */
  readonly shaped: number;
  readonly results: ResultEvidence;
}

/** One row per called tool. */
export async function readToolOutcomes(where: Where, { store }: QueryContext): Promise<ToolOutcome[]> {
  const rows = await store.query({ sql: outcomesSql(where.sql), params: where.params, row: Row });
  return rows.map((row) => ({
    server: row.server,
    tool: row.tool,
    calls: row.n,
    errors: row.failed,
    known: row.known,
    sessions: row.session_count,
    lastUs: row.last_us,
    clients: row.clients,
    shaped: row.shaped,
    results: {
      measured: row.measured,
      p95Tokens: estimateTokens(row.p95_bytes ?? 0),
      largestTokens: estimateTokens(row.largest_bytes),
      structured: row.structured,
      jsonText: row.json_text,
      errorInResult: row.error_in_result,
      partialFailures: row.partial,
      longLists: row.long_lists,
      violations: row.violations,
    },
  }));
}

/** Markers in a result's shape. */
const IS_STRUCTURED = `position(result_shape, '"structuredContent":') > 0`;
const IS_JSON_TEXT = `(position(result_shape, '"text":"json:') > 0 AND NOT ${IS_STRUCTURED})`;
/** A list of failures with items, or a count of failures above zero. */
const HAS_FAILED_ITEMS = `match(result_shape, '"(structuredContent|textJson)":.*("(errors|failed|failures)":\\\\[[1-9]|":"int:[+]")')`;
/** A list of more than a hundred items in the structure, and no name that says whether there are more. */
const IS_LONG_LIST = `(match(result_shape, '"(structuredContent|textJson)":.*\\\\[(10[1-9]|1[1-9][0-9]|[2-9][0-9]{2}|[0-9]{4,}),')
  AND NOT match(result_shape, '(?i)"[a-z_]*(cursor|next|more|total|truncated|page|offset|remaining)[a-z_]*":'))`;

const outcomesSql = (where: string) => `
    WITH outcome = 'ok' AND result_bytes > 0 AS is_measured
    SELECT
      server_name AS server,
      tool_name AS tool,
      count() AS n,
      countIf(fault != 'none') AS failed,
      countIf(arguments_fingerprint != 0 OR arguments_shape != '') AS known,
      uniqExactIf(cityHash64(session_source, session_id), session_id != '') AS session_count,
      toUnixTimestamp64Micro(max(started_at)) AS last_us,
      arraySort(groupUniqArrayIf(20)(trimRight(concat(toString(client_name), ' ', client_version)), client_name != '')) AS clients,
      countIf(is_measured) AS measured,
      countIf(is_measured AND result_shape != '') AS shaped,
      quantileBFloat16If(0.95)(result_bytes, is_measured) AS p95_bytes,
      maxIf(result_bytes, is_measured) AS largest_bytes,
      countIf(is_measured AND ${IS_STRUCTURED}) AS structured,
      countIf(is_measured AND ${IS_JSON_TEXT}) AS json_text,
      countIf(outcome = 'ok' AND error_in_result != 0) AS error_in_result,
      countIf(outcome = 'ok' AND ${HAS_FAILED_ITEMS}) AS partial,
      countIf(is_measured AND ${IS_LONG_LIST}) AS long_lists,
      countIf(outcome = 'invalid_output') AS violations
    FROM calls
    WHERE ${where}
    GROUP BY server, tool`;

const KeyReuseRow = z.object({ server: z.string(), tool: z.string(), repeated: count, different: count });

/** Successful calls that repeated an idempotency key with the same arguments. @returns by server and tool */
export async function readKeyReuse(
  where: Where,
  { store }: QueryContext,
): Promise<(server: string, tool: string) => KeyReuseEvidence | undefined> {
  const rows = await store.query({ sql: keyReuseSql(where.sql), params: where.params, row: KeyReuseRow });
  return (server, tool) => rows.find((row) => row.server === server && row.tool === tool);
}

const keyReuseSql = (where: string) => `
    SELECT server, tool, toUInt64(sum(n - 1)) AS repeated, toUInt64(sum(n - same)) AS different
    FROM (
      SELECT
        server_name AS server,
        tool_name AS tool,
        count() AS n,
        countIf(result_fingerprint = first_result) AS same
      FROM (
        SELECT
          server_name, tool_name, fingerprint_key_id, arguments_fingerprint, result_fingerprint,
          first_value(result_fingerprint) OVER (
            PARTITION BY server_name, tool_name, fingerprint_key_id, arguments_fingerprint
            ORDER BY started_at, span_id) AS first_result
        FROM calls
        WHERE ${where} AND outcome = 'ok' AND arguments_fingerprint != 0 AND result_fingerprint != 0
          AND arrayExists(name -> match(name, '${IDEMPOTENCY_KEY_PATTERN}'), mapKeys(argument_fingerprints))
      )
      GROUP BY server, tool, fingerprint_key_id, arguments_fingerprint
      HAVING n > 1
    )
    GROUP BY server, tool`;

const DuplicateRow = z.object({
  server: z.string(),
  tool: z.string(),
  calls: count,
  sessions: count,
  same_result: count,
});

const MAX_SECONDS_APART = 60;

/**
 * Pairs of calls with the same arguments within a minute, both `ok`.
 *
 * @returns by server and tool
 */
export async function readDuplicates(
  where: Where,
  { store }: QueryContext,
): Promise<(server: string, tool: string) => DuplicateEvidence> {
  const rows = await store.query({ sql: duplicatesSql(where.sql), params: where.params, row: DuplicateRow });
  return (server, tool) => {
    const row = rows.find((one) => one.server === server && one.tool === tool);
    return row === undefined
      ? NO_DUPLICATES
      : { calls: row.calls, sessions: row.sessions, sameResult: row.same_result };
  };
}

const NO_DUPLICATES: DuplicateEvidence = { calls: 0, sessions: 0, sameResult: 0 };

// One window holds calls of one key.
const RESULT = { keyId: 'fingerprint_key_id', fingerprint: 'result' };
const EARLIER_RESULT = { keyId: 'fingerprint_key_id', fingerprint: 'earlier_result' };

const duplicatesSql = (where: string) => `
    SELECT
      server_name AS server,
      tool_name AS tool,
      count() AS calls,
      uniqExact(session_hash) AS sessions,
      countIf(${compareFingerprintsSql(RESULT, EARLIER_RESULT)} = 'equal') AS same_result
    FROM (
      SELECT
        server_name,
        tool_name,
        session_hash,
        fingerprint_key_id,
        result,
        started_at,
        lagInFrame(started_at) OVER earlier AS earlier_at,
        lagInFrame(result) OVER earlier AS earlier_result,
        row_number() OVER earlier AS place
      FROM (
        SELECT
          server_name,
          tool_name,
          started_at,
          span_id,
          fingerprint_key_id,
          arguments_fingerprint,
          result_fingerprint AS result,
          cityHash64(${IDENTITY}) AS session_hash
        FROM calls
        WHERE ${where} AND outcome = 'ok' AND arguments_fingerprint != 0 AND session_id != '' AND session_source != 'none'
      )
      WINDOW earlier AS (
        PARTITION BY session_hash, tool_name, fingerprint_key_id, arguments_fingerprint
        ORDER BY started_at, span_id ROWS BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW)
    )
    WHERE place > 1 AND started_at <= addSeconds(earlier_at, ${MAX_SECONDS_APART})
    GROUP BY server, tool`;
