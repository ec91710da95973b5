// Errors and whether agents recovered from them within minutes, for alert rules: by the notion of the recovery rate on the pages, but
// with an end to the waiting, so that the answer does not change any more once it is given.

import { RECOVERY_WAIT_MS } from '../../../core/model/metric-row.ts';
import { ATTR_ERROR_TOOLS } from '../../../core/semconv/toolscope-attributes.ts';
import { COUNTED_CALLS } from '../query/call-window.ts';
import type { QueryContext } from '../query/query-context.ts';
import { IDENTITY_HASH } from '../query/session-identity.ts';
import { isReferredSql } from '../tools/call-order-sql.ts';
import { listServerReferrals, readDefinitions } from '../tools/definitions.ts';

/** Longer calls are left out: then all calls that end within the wait of an error are found by when they started. */
const MAX_DURATION_MS = 600_000;
const REACH_SECONDS = (RECOVERY_WAIT_MS + MAX_DURATION_MS) / 1_000;
const NEVER_US = '9000000000000000000';

const IN_REACH = `started_at >= fromUnixTimestamp({from_s:UInt32} - ${REACH_SECONDS}) AND started_at < fromUnixTimestamp({to_s:UInt32})
          AND ${COUNTED_CALLS} AND session_id != '' AND session_source != 'none' AND duration_us <= ${MAX_DURATION_MS * 1_000}`;

/** The call that ends next, or after it: its tool, when it ended well (0: it did not), and when it started. */
const followingSql = (offset: number): string =>
  `leadInFrame((toString(tool_name), if(is_ok, ended_us, toInt64(0)), started_us), ${offset}) OVER following`;

/**
 * Failed calls whose waiting ends in the range of the parameters `from_s` and `to_s`. Recovered are those after which, until then, a later
 * call of the tool ended well in the session, or one of the next three calls, of a tool that the error or its description names.
 * `referrals` must be bound.
 */
export const FOLLOWED_ERRORS_SQL = `
      SELECT
        server_name, environment, tool_name, client_name, server_version, error_code, ended_us + ${RECOVERY_WAIT_MS * 1_000} AS followed_us,
        (next_ok_us > 0 AND next_ok_us <= followed_us) OR arrayExists(
          following -> following.2 > 0 AND following.2 <= followed_us AND following.3 > started_us AND ${isReferredSql('following.1')},
          next_calls) AS is_recovered
      FROM (
        SELECT *,
          min(if(is_ok, ended_us, ${NEVER_US})) OVER (PARTITION BY session_hash, tool_name ORDER BY started_us DESC
            RANGE BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING) AS next_ok_us,
          [${[1, 2, 3].map(followingSql).join(', ')}] AS next_calls
        FROM (
          SELECT server_name, environment, tool_name, client_name, server_version, error_code, error_message, span_id,
            splitByChar('+', attributes['${ATTR_ERROR_TOOLS}']) AS error_tools,
            toUnixTimestamp64Micro(started_at) AS started_us,
            started_us + toInt64(duration_us) AS ended_us,
            ${IDENTITY_HASH} AS session_hash,
            outcome = 'ok' AND error_in_result = 0 AS is_ok,
            fault != 'none' AS has_failed
          FROM calls
          WHERE ${IN_REACH}
            AND session_hash IN (SELECT ${IDENTITY_HASH} FROM calls WHERE ${IN_REACH} AND fault != 'none')
        )
        WINDOW following AS (PARTITION BY session_hash ORDER BY ended_us, span_id ROWS BETWEEN CURRENT ROW AND 3 FOLLOWING)
      )
      WHERE has_failed AND followed_us >= toInt64({from_s:UInt32}) * 1000000 AND followed_us < toInt64({to_s:UInt32}) * 1000000`;

/** Server, tool, and a tool to which its description sends agents, of all servers, for the parameter `referrals`. */
export async function readReferrals(context: Pick<QueryContext, 'store'>): Promise<readonly string[]> {
  const definitions = await readDefinitions({}, context);
  const servers = [...new Set(definitions.map(({ server }) => server))];
  return listServerReferrals(servers, definitions).map((one) => [one.server, one.tool, one.other].join('\n'));
}
