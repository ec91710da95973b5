// Sessions with more than thirty calls: a list, not a verdict, because long sessions can be productive.

import { Link } from 'wouter';
import { toQueryParams, useResource } from '../../api/queries.ts';
import { DataTable } from '../../components/data-table.tsx';
import { Panel } from '../../components/panel.tsx';
import { QueryBoundary } from '../../components/query-boundary.tsx';
import { formatPlural } from '../../format/format-number.ts';
import { sessionsPath } from '../../paths.ts';
import type { View } from '../../view/view.ts';
import { toSessionColumns } from '../sessions/session-columns.tsx';
import { MIN_LONG_SESSION_CALLS } from './prepare-attention.ts';

const MAX_ROWS = 8;

export function LongSessionsPanel({ view }: { readonly view: View }) {
  const result = useResource('sessions', {
    ...toQueryParams(view),
    minCalls: String(MIN_LONG_SESSION_CALLS),
    order: 'calls',
    limit: String(MAX_ROWS),
  });
  const total = result.data?.total ?? 0;
  const all = sessionsPath(view, { minCalls: String(MIN_LONG_SESSION_CALLS), order: 'calls' });
  return (
    <Panel
      title="Sessions over 30 calls"
      note={total > 0 ? formatPlural(total, 'session') : undefined}
      className="long-sessions"
    >
      <QueryBoundary
        result={result}
        skeletonRows={5}
        empty={({ sessions }) =>
          sessions.length > 0 ? undefined : 'No session of this range has more than 30 tool calls.'
        }
      >
        {({ sessions }) => (
          <>
            <DataTable
              label="Sessions over 30 calls"
              columns={toSessionColumns(view, [
                'session',
                'client',
                'calls',
                'errors',
                'duration',
                'started',
              ])}
              rows={sessions}
              keyOf={({ server, sessionId }) => `${server} ${sessionId}`}
            />
            {total > sessions.length ? (
              <p className="more">
                <Link href={all}>All {total} sessions</Link>
              </p>
            ) : null}
          </>
        )}
      </QueryBoundary>
    </Panel>
  );
}
