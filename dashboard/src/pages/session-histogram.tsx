// How many sessions have how many calls, with the line at thirty. Each bar leads to its sessions; the same figures stand in a
// table one key away.
import { Link } from 'wouter';
import type { SessionCountsAnswer } from '../../../src/contract/session-counts.ts';
import { DrawnPanel } from '../components/drawn-panel.tsx';
import { countColumn, textColumn } from '../components/figure-columns.tsx';
import { Count } from '../components/figures.tsx';
import { formatNoun } from '../format/format-number.ts';
import { sessionsPath } from '../paths.ts';
import type { View } from '../view/view.ts';
import { type Bar, prepareBars } from './prepare-session-kinds.ts';

interface HistogramProps {
  readonly counts: SessionCountsAnswer;
  readonly view: View;
}

export function SessionHistogram({ counts, view }: HistogramProps) {
  const bars = prepareBars(counts);
  return (
    <DrawnPanel
      id="lengths"
      title="Calls per session"
      note={`${counts.overThirty > 0 ? formatNoun(counts.overThirty, 'session') : 'none'} beyond the line at thirty`}
      range={counts.range}
      table={{ label: 'Sessions by calls', columns: COLUMNS, rows: bars, keyOf: ({ label }) => label }}
    >
      <Bars bars={bars} view={view} />
    </DrawnPanel>
  );
}

const COLUMNS = [
  {
    ...textColumn<Bar>(['calls', 'Calls'], ({ label }) => label),
    raw: [
      ['fromCalls', ({ asks }: Bar) => Number(asks.minCalls ?? 0)],
      ['toCalls', ({ asks }: Bar) => (asks.maxCalls === undefined ? null : Number(asks.maxCalls))],
    ] as const,
  },
  countColumn<Bar>(['sessions', 'Sessions'], ({ sessions }) => sessions),
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
