// Advice that costs calls, for the attention list. Computing it reads the newest calls of every server in
// order, which is too expensive for an overview that refreshes every few seconds, so the result of the last
// hourly run is used. Without a run yet and with few calls, it is computed at once.

import type { AttentionItem } from '../../../contract/overview.ts';
import type { TimeRange } from '../../../contract/time-range.ts';
import { formatIso } from '../../../core/values/date-time64.ts';
import { getAdvice } from '../advice/advice.ts';
import { readAdviceHistory } from '../advice/advice-repository.ts';
import { chooseToolSource } from '../query/day-split.ts';
import { type CommonFilters, canFilter } from '../query/filters.ts';
import type { QueryContext } from '../query/query-context.ts';
import { queryNumber } from '../query/row-values.ts';
import { NO_SESSION } from './describe-attention.ts';

/** Runs are hourly; a run that is one interval late is still accepted. */
const MAX_AGE_MS = 2 * 3_600_000;
/** Up to this number of calls, computing advice takes no longer than a chart. */
const MAX_CALLS_TO_EVALUATE = 5_000;

/** Open advice, most calls lost first. */
export async function readAdviceAttention(
  range: TimeRange,
  filters: CommonFilters,
  context: QueryContext,
): Promise<AttentionItem[]> {
  const [stored, calls] = await Promise.all([
    readStoredItems(range, filters, context),
    countCalls(range, filters, context),
  ]);
  const found = stored ?? (calls <= MAX_CALLS_TO_EVALUATE ? await evaluateNow(range, filters, context) : []);
  return found
    .filter((item) => item.count > 0)
    .sort((one, other) => other.count - one.count || (one.id < other.id ? -1 : 1));
}

/** Undefined if there is no recent run, or if its findings cover more than the filters allow. */
async function readStoredItems(
  range: TimeRange,
  filters: CommonFilters,
  context: QueryContext,
): Promise<AttentionItem[] | undefined> {
  const since = context.nowMs - MAX_AGE_MS;
  if (!canFilter('advice_seen', filters) || range.toMs < since) return undefined;
  const { seen, dismissed } = await readAdviceHistory(filters, context);
  const fresh = seen.filter(({ lastSeenMs }) => lastSeenMs >= since);
  if (fresh.length === 0) return undefined;
  return fresh
    .filter(({ id }) => !dismissed.has(id))
    .map(({ id, server, finding, lastSeenMs }) =>
      toAdviceItem({ id, server, ...finding }, formatIso(lastSeenMs * 1_000)),
    );
}

async function evaluateNow(
  range: TimeRange,
  filters: CommonFilters,
  context: QueryContext,
): Promise<AttentionItem[]> {
  const { advice } = await getAdvice({ ...filters, range, state: 'open' }, context);
  return advice.map((row) => toAdviceItem(row, null));
}

interface AdviceSummary {
  readonly id: string;
  readonly server: string;
  readonly tool: string;
  readonly finding: string;
  readonly callsLost: number;
}

function toAdviceItem(
  { id, server, tool, finding, callsLost }: AdviceSummary,
  lastAt: string | null,
): AttentionItem {
  return {
    ...NO_SESSION,
    kind: 'advice',
    server,
    tool,
    id,
    why: finding,
    count: callsLost,
    lastAt,
  };
}

async function countCalls(range: TimeRange, filters: CommonFilters, context: QueryContext): Promise<number> {
  const { aggregates, where } = await chooseToolSource({ range, filters }, context);
  return queryNumber(context.store, {
    sql: `SELECT ${aggregates.calls} AS n FROM ${aggregates.table} WHERE ${where.sql}`,
    params: where.params,
  });
}
