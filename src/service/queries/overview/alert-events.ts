// The history on the alerts page: state changes in a range, newest first. `alert_events` has a few rows per
// rule and day, so whole months are read.

import { z } from 'zod';
import { ALERT_STATES, type AlertEventsQuery, type AlertEventsResponse } from '../../../contract/alerts.ts';
import type { ResolvedQuery } from '../../../contract/queries.ts';
import { formatIso } from '../../../core/values/date-time64.ts';
import { count } from '../../store/row-codec.ts';
import type { StoreReader } from '../../store/store.ts';
import { compareColumn, whereFilter } from '../query/filter-condition.ts';
import { allOf } from '../query/filters.ts';

const Row = z.object({
  rule_id: z.string(),
  fingerprint: z.string(),
  at_us: count,
  from_state: z.enum(ALERT_STATES),
  to_state: z.enum(ALERT_STATES),
  value: z.number(),
  threshold: z.number(),
  labels: z.record(z.string(), z.string()),
  sentence: z.string(),
});

export async function getAlertEvents(
  { range, rule = '', server, limit }: ResolvedQuery<AlertEventsQuery>,
  store: StoreReader,
): Promise<AlertEventsResponse> {
  const where = allOf(whereFilter('server', server, compareColumn("labels['server']")));
  const rows = await store.query({
    sql: `
    SELECT
        rule_id,
        fingerprint,
        toUnixTimestamp64Micro(toDateTime64(at, 6, 'UTC')) AS at_us,
        from_state,
        to_state,
        value,
        threshold,
        labels,
        sentence
    FROM alert_events
    WHERE at >= fromUnixTimestamp64Milli({from_ms:Int64}, 'UTC')
      AND at < fromUnixTimestamp64Milli({to_ms:Int64}, 'UTC')
      AND ({rule:String} = '' OR rule_id = {rule:String})
      AND ${where.sql}
    ORDER BY at DESC, rule_id, fingerprint
    LIMIT {limit:UInt32}`,
    params: { ...where.params, from_ms: range.fromMs, to_ms: range.toMs, rule, limit },
    row: Row,
  });
  return { range, events: rows.map(toAlertEvent) };
}

function toAlertEvent({ rule_id, at_us, from_state, to_state, ...rest }: z.infer<typeof Row>) {
  return { ruleId: rule_id, at: formatIso(at_us), from: from_state, to: to_state, ...rest };
}
