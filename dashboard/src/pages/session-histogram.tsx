// How many sessions have how many calls, with the line at thirty. Each bar leads to its sessions; the same figures stand in a
// table one key away.
import { useState } from 'react';
import { Link } from 'wouter';
import type { SessionCountsAnswer } from '../../../src/contract/session-counts.ts';
import { type Column, DataTable } from '../components/data-table.tsx';
import { Count } from '../components/figures.tsx';
import { Icon } from '../components/icon.tsx';
import { Panel } from '../components/panel.tsx';
import { formatNoun } from '../format/format-number.ts';
import { sessionsPath } from '../paths.ts';
import type { View } from '../view/view.ts';
import { type Bar, prepareBars } from './prepare-session-kinds.ts';

interface HistogramProps {
  readonly counts: SessionCountsAnswer;
  readonly view: View;
}

export function SessionHistogram({ counts, view }: HistogramProps) {
  const [asTable, setAsTable] = useState(false);
  const bars = prepareBars(counts);
  return (
    <Panel
      title="Calls per session"
      note={`${counts.overThirty > 0 ? formatNoun(counts.overThirty, 'session') : 'none'} beyond the line at thirty`}
      actions={
        <button
          type="button"
          className="button bare"
          aria-pressed={asTable}
          aria-label="Calls per session as table"
          onClick={() => setAsTable(!asTable)}
        >
          <Icon name={asTable ? 'chart' : 'table'} />
        </button>
      }
    >
      {asTable ? (
        <DataTable label="Sessions by calls" columns={COLUMNS} rows={bars} keyOf={({ label }) => label} />
      ) : (
        <Bars bars={bars} view={view} />
      )}
    </Panel>
  );
}

const COLUMNS: readonly Column<Bar>[] = [
  { id: 'calls', header: 'Calls', cell: ({ label }) => label },
  { id: 'sessions', header: 'Sessions', align: 'end', cell: ({ sessions }) => <Count value={sessions} /> },
];

function Bars({ bars, view }: { readonly bars: readonly Bar[]; readonly view: View }) {
  return (
    <ol className="bars" aria-label="Sessions by number of calls">
      {bars.map(({ label, sessions, height, isLong, asks }) => (
        <li key={label} className={isLong ? 'long' : undefined}>
          <Link
            href={sessionsPath(view, asks)}
            title={`${formatNoun(sessions, 'session')} with ${label} ${label === '1' ? 'call' : 'calls'}`}
          >
            <span className="of">
              <Count value={sessions} />
            </span>
            <span className="bar-frame" aria-hidden="true">
              {sessions > 0 ? <i style={{ height: `max(2px, ${height * 100}%)` }} /> : null}
            </span>
            <span className="calls">{label}</span>
          </Link>
        </li>
      ))}
    </ol>
  );
}
