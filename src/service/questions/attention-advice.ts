// Advice that costs calls, for the list of what deserves a look. Looking for it reads the newest calls of every server in order,
// which an overview that follows along cannot do every few seconds: so it is what the last hourly look found. Where there was
// none yet and there are few calls, it is looked for at once.

import { z } from 'zod';
import type { AttentionItem } from '../../contract/overview.ts';
import type { TimeRange } from '../../contract/time-range.ts';
import { answerAdvice } from './advice.ts';
import { readAdviceMemory } from './advice-memory.ts';
import { countedTools } from './figures.ts';
import { askedFilters, type Filters } from './filters.ts';
import type { Asking } from './ports.ts';
import { count, toIso } from './row-values.ts';

/** The look is made every hour; one that is late still counts. */
const FRESH_MS = 2 * 3_600_000;
/** Up to so many calls a look takes no longer than a chart. */
const FEW_CALLS = 5_000;

const CountRow = z.object({ n: count });

/** Open advice, the one with the most calls lost first. */
export async function readAdviceAttention(
  range: TimeRange,
  filters: Filters,
  asking: Asking,
): Promise<AttentionItem[]> {
  const [remembered, calls] = await Promise.all([
    readRemembered(range, filters, asking),
    countCalls(range, filters, asking),
  ]);
  const found = remembered ?? (calls <= FEW_CALLS ? await lookNow(range, filters, asking) : []);
  return found
    .filter((item) => item.count > 0)
    .sort((one, other) => other.count - one.count || (one.id < other.id ? -1 : 1));
}

/** Undefined where nothing was found lately, or where what was found is about more than is asked. */
async function readRemembered(
  range: TimeRange,
  filters: Filters,
  asking: Asking,
): Promise<AttentionItem[] | undefined> {
  const since = asking.nowMs - FRESH_MS;
  const isOfAll = askedFilters(filters).every((name) => name === 'server' || name === 'tool');
  if (!isOfAll || range.toMs < since) return undefined;
  const { seen, dismissed } = await readAdviceMemory(filters, asking);
  const fresh = seen.filter(({ lastSeenMs }) => lastSeenMs >= since);
  if (fresh.length === 0) return undefined;
  return fresh
    .filter(({ id }) => !dismissed.has(id))
    .map(({ id, server, finding, lastSeenMs }) =>
      toItem({ id, server, ...finding }, toIso(lastSeenMs * 1_000)),
    );
}

async function lookNow(range: TimeRange, filters: Filters, asking: Asking): Promise<AttentionItem[]> {
  const { advice } = await answerAdvice({ ...filters, range, state: 'open' }, asking);
  return advice.map((row) => toItem(row, null));
}

interface Told {
  readonly id: string;
  readonly server: string;
  readonly tool: string;
  readonly finding: string;
  readonly callsLost: number;
}

function toItem({ id, server, tool, finding, callsLost }: Told, lastAt: string | null): AttentionItem {
  return {
    kind: 'advice',
    server,
    sessionId: '',
    sessionSource: 'none',
    tool,
    client: '',
    id,
    why: finding,
    count: callsLost,
    lastAt,
  };
}

async function countCalls(range: TimeRange, filters: Filters, asking: Asking): Promise<number> {
  const { figures, where } = countedTools({ range, filters }, asking);
  const [row] = await asking.store.query({
    sql: `SELECT ${figures.calls} AS n FROM ${figures.table} WHERE ${where.sql}`,
    params: where.params,
    row: CountRow,
  });
  return row?.n ?? 0;
}
