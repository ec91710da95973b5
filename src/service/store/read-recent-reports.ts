// Reads the most recent reports at ingest startup, to detect second reports of their calls.

import { z } from 'zod';
import type { CallReportFields } from '../../core/model/reported-call.ts';
import { SESSION_SOURCES } from '../../core/model/session.ts';

import { ATTR_PROCESS_ID } from '../../core/semconv/toolscope-attributes.ts';
import type { Store } from './store.ts';

const ReportRow = z.object({
  trace_id: z.string(),
  span_id: z.string(),
  parent_span_id: z.string(),
  side: z.enum(['server', 'client']),
  method: z.string(),
  tool_name: z.string(),
  request_id: z.string(),
  session_id: z.string(),
  session_source: z.enum(SESSION_SOURCES),
  started_us: z.number(),
  duration_us: z.number(),
  attributes: z.record(z.string(), z.string()),
});

/** Limit at startup, longer than that of a page query. */
const MAX_SECONDS = 60;

/**
 * The most recently stored calls with a known process, oldest first.
 *
 * @param since only those ingested at or after it, in epoch milliseconds
 * @param limit maximum number of calls
 * @throws UpstreamError as `Store` does
 */
export async function readRecentReports(
  store: Store,
  { since, limit }: { readonly since: number; readonly limit: number },
): Promise<CallReportFields[]> {
  const rows = await store.query({
    sql: `
      SELECT
        trace_id, span_id, parent_span_id, side, method, tool_name, request_id, session_id, session_source,
        toUnixTimestamp64Micro(started_at) AS started_us,
        toInt64(duration_us) AS duration_us,
        attributes
      FROM calls
      WHERE ingested_at >= fromUnixTimestamp64Milli({since:Int64}, 'UTC')
        AND mapContains(attributes, {processId:String})
      ORDER BY ingested_at DESC, ingest_seq DESC
      LIMIT {limit:UInt32}`,
    params: { since, limit, processId: ATTR_PROCESS_ID },
    row: ReportRow,
    maxSeconds: MAX_SECONDS,
  });
  return rows.reverse().map(toReport);
}

function toReport(row: z.infer<typeof ReportRow>): CallReportFields {
  return {
    traceId: row.trace_id,
    spanId: row.span_id,
    parentSpanId: row.parent_span_id,
    side: row.side,
    method: row.method,
    toolName: row.tool_name,
    requestId: row.request_id,
    sessionId: row.session_id,
    sessionSource: row.session_source,
    startedAtUs: row.started_us,
    durationUs: row.duration_us,
    attributes: row.attributes,
  };
}
