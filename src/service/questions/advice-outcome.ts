// What became of advice after a later definition: "Gone since 1.4.3: 31 failures a day became 2." The failures are those that the
// advice named, counted in the kept calls before and after the first listing of the new definition.

import { z } from 'zod';
import type { SeenAdvice } from './advice-memory.ts';
import { COUNTED_CALLS, keptRange } from './call-window.ts';
import type { ListedDefinition } from './definitions.ts';
import { allOf, always, whereFilters } from './filters.ts';
import { inRange } from './grain.ts';
import type { Asking } from './ports.ts';
import { count } from './row-values.ts';

const DAY_MS = 86_400_000;
/** Of the time before, the days that count. */
const MOST_DAYS = 14;
/** Calls of the new definition before silence means something. */
const ENOUGH_CALLS = 20;

const Row = z.object({ calls_after: count, before: count, after: count, first_ms: count });

/** @returns undefined while too few calls met the new definition to tell */
export async function describeGone(
  { server, finding }: SeenAdvice,
  {
    definitions,
    environment,
  }: { readonly definitions: readonly ListedDefinition[]; readonly environment: string | undefined },
  asking: Asking,
): Promise<string | undefined> {
  const { tool, source, evidence } = finding;
  const current = definitions.filter(
    (listed) => listed.server === server && listed.isCurrent && (tool === '' || listed.tool === tool),
  );
  const changedMs = Math.max(0, ...current.map(({ firstUs }) => firstUs)) / 1_000;
  const since = sinceWhat(
    current.find(({ firstUs }) => firstUs / 1_000 === changedMs),
    changedMs,
    asking,
  );
  if (source === 'static') return `Gone since ${since}.`;
  if (changedMs === 0) return undefined;
  const kept = keptRange({ fromMs: Math.max(0, changedMs - MOST_DAYS * DAY_MS), toMs: asking.nowMs }, asking);
  if (kept === undefined) return undefined;
  const { code, message, argument } = evidence.calls ?? {};
  const where = allOf(
    inRange('started_at', kept),
    always(COUNTED_CALLS),
    whereFilters({ server, environment, ...(tool !== '' && { tool }) }),
  );
  const [row] = await asking.store.query({
    sql: `
    WITH
      started_at >= fromUnixTimestamp64Milli({changed_ms:Int64}, 'UTC') AS is_after,
      fault != 'none' AND ({code:String} = '' OR error_code = {code:String})
        AND ({message:String} = '' OR error_message = {message:String})
        AND ({argument:String} = '' OR error_argument = {argument:String}) AS is_failure
    SELECT
      countIf(is_after) AS calls_after,
      countIf(is_failure AND NOT is_after) AS before,
      countIf(is_failure AND is_after) AS after,
      toUnixTimestamp64Milli(toDateTime64(min(started_at), 3, 'UTC')) AS first_ms
    FROM calls
    WHERE ${where.sql}`,
    params: {
      ...where.params,
      changed_ms: Math.floor(changedMs),
      code: code ?? '',
      message: message ?? '',
      argument: argument ?? '',
    },
    row: Row,
  });
  if (row === undefined || row.calls_after < ENOUGH_CALLS) return undefined;
  const before = perDay(row.before, changedMs - Math.min(row.first_ms, changedMs));
  const after = perDay(row.after, asking.nowMs - changedMs);
  if (row.before === 0 && row.after === 0) return `Gone since ${since}.`;
  return `Gone since ${since}: ${before} ${before === '1' ? 'failure' : 'failures'} a day became ${after}.`;
}

/** Of less than a day, as if it had been one: a rate of an hour says nothing of a day. */
function perDay(failures: number, ms: number): string {
  const rate = failures / Math.max(1, ms / DAY_MS);
  return rate < 10 ? String(Number(rate.toFixed(1))) : String(Math.round(rate));
}

function sinceWhat(listed: ListedDefinition | undefined, changedMs: number, { nowMs }: Asking): string {
  const version = listed?.serverVersions.at(-1) ?? '';
  if (version !== '') return version;
  return new Date(changedMs || nowMs).toISOString().slice(0, 10);
}
