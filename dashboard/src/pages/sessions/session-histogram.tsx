// The histogram of calls per session, marked at 30 calls. Each bar links to its sessions.
import { Link } from 'wouter';
import type { SessionCountsResponse } from '../../../../src/contract/session-counts.ts';
import { ChartPanel } from '../../components/chart-panel.tsx';
import { countColumn, textColumn } from '../../components/table-columns.tsx';
import { Count } from '../../components/values.tsx';
import { formatPlural } from '../../format/format-number.ts';
import { sessionsPath } from '../../paths.ts';
import type { View } from '../../view/view.ts';
import { type HistogramBar, prepareHistogram } from './prepare-session-kinds.ts';

interface SessionHistogramProps {
  readonly counts: SessionCountsResponse;
  readonly view: View;
}

export function SessionHistogram({ counts, view }: SessionHistogramProps) {
  const bars = prepareHistogram(counts);
  return (
    <ChartPanel
      id="lengths"
      title="Calls per session"
      note={`${formatPlural(counts.overThirty, 'session')} over 30 calls`}
      range={counts.range}
      table={{ label: 'Sessions by calls', columns: COLUMNS, rows: bars, keyOf: ({ label }) => label }}
    >
      <HistogramBars bars={bars} view={view} />
    </ChartPanel>
  );
}

const COLUMNS = [
  {
    ...textColumn<HistogramBar>(['calls', 'Calls'], ({ label }) => label),
    raw: [
      ['fromCalls', ({ filter }: HistogramBar) => Number(filter.minCalls ?? 0)],
      [
        'toCalls',
        ({ filter }: HistogramBar) => (filter.maxCalls === undefined ? null : Number(filter.maxCalls)),
      ],
    ] as const,
  },
  countColumn<HistogramBar>(['sessions', 'Sessions'], ({ sessions }) => sessions),
];

function HistogramBars({ bars, view }: { readonly bars: readonly HistogramBar[]; readonly view: View }) {
  return (
    <ol className="bars" aria-label="Sessions by number of calls">
      {bars.map(({ label, sessions, height, isLong, filter }) => (
        <li key={label} className={isLong ? 'long' : undefined}>
          <Link
            href={sessionsPath(view, filter)}
            title={`${formatPlural(sessions, 'session')} with ${label} ${label === '1' ? 'call' : 'calls'}`}
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
