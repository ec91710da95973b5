// Sessions with more than thirty invocations: a list, not a verdict. Long work can be good work.
import { Link } from 'wouter';
import { useTopSessions } from '../api/questions.ts';
import { DataTable } from '../components/data-table.tsx';
import { Panel } from '../components/panel.tsx';
import { Shell } from '../components/shell.tsx';
import { formatNoun } from '../format/format-number.ts';
import { sessionsPath } from '../paths.ts';
import type { View } from '../view/view.ts';
import { sessionColumns } from './session-columns.tsx';

/** More than thirty. */
export const OVER_THIRTY = 31;
const ROWS = 8;

export function LongSessionsPanel({ view }: { readonly view: View }) {
  const asked = useTopSessions(view, { minCalls: OVER_THIRTY, limit: ROWS });
  const total = asked.data?.total ?? 0;
  const all = sessionsPath(view, { minCalls: String(OVER_THIRTY), order: 'calls' });
  return (
    <Panel
      title="Sessions over thirty calls"
      note={total > 0 ? formatNoun(total, 'session') : undefined}
      className="long-sessions"
    >
      <Shell
        asked={asked}
        rows={5}
        empty={({ sessions }) =>
          sessions.length > 0 ? undefined : 'No session of this range has more than thirty tool calls.'
        }
      >
        {({ sessions }) => (
          <>
            <DataTable
              label="Sessions over thirty calls"
              columns={sessionColumns(view, ['session', 'client', 'calls', 'errors', 'duration', 'started'])}
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
      </Shell>
    </Panel>
  );
}
