// How long each tool takes: one percentile over time, and both over the whole range as one bar a tool.
import { Link, useLocation } from 'wouter';
import type { ToolsAnswer } from '../../../src/contract/answers.ts';
import { useSeries } from '../api/questions.ts';
import { type LatencySpan, prepareLatency, prepareLatencySpans } from '../charts/prepare-latency.ts';
import { type Slots, toolKey } from '../charts/prepare-slots.ts';
import { FEW_CALLS } from '../charts/prepared-chart.ts';
import { FewCalls } from '../components/figures.tsx';
import { Shell } from '../components/shell.tsx';
import { ToolName } from '../components/tool-name.tsx';
import { formatDuration } from '../format/format-duration.ts';
import { overviewPath, toolPath, toolsPath } from '../paths.ts';
import { useOwn, useOwnChoice } from '../view/use-view.ts';
import type { View } from '../view/view.ts';
import { BesideFoot } from './beside-foot.tsx';
import { ROWS_BESIDE, type ToolPanelProps } from './call-rate-panel.tsx';
import { ChartPanel, type Point } from './chart-panel.tsx';
import { earlierWord } from './overview/earlier-word.ts';
import { toToolsTable } from './tools-table.tsx';

export function LatencyPanel({ view, tools, slots }: ToolPanelProps) {
  const percentile = useOwnChoice('percentile', ['p50']) ?? 'p95';
  const series = useSeries(view, percentile);
  return (
    <ChartPanel
      id="latency"
      title="p50 and p95 per tool"
      label={`${percentile} of the duration per tool over time`}
      series={series}
      prepare={(answer, nowMs) =>
        prepareLatency(answer, { slots, nowMs, earlier: earlierWord(answer, view) })
      }
      emptySentence="No call in this range has a duration."
      actions={<PercentileSwitch percentile={percentile} view={view} />}
      figures={(point) => (
        <Shell
          asked={tools}
          rows={6}
          empty={({ tools }) =>
            tools.some(({ p95Ms }) => p95Ms !== null) ? undefined : 'No durations to show.'
          }
        >
          {({ tools: rows, range }) => (
            <Figures spans={prepareLatencySpans(rows)} {...{ range, view, slots, point }} />
          )}
        </Shell>
      )}
    />
  );
}

interface PercentileSwitchProps {
  readonly percentile: 'p50' | 'p95';
  readonly view: View;
}

function PercentileSwitch({ percentile, view }: PercentileSwitchProps) {
  const [, navigate] = useLocation();
  const tables = useOwn('tables');
  return (
    <fieldset className="segments small">
      <legend className="visually-hidden">Percentile over time</legend>
      {(['p50', 'p95'] as const).map((name) => (
        <button
          key={name}
          type="button"
          aria-pressed={name === percentile}
          onClick={() =>
            navigate(overviewPath(view, { tables, percentile: name === 'p50' ? name : undefined }), {
              replace: true,
            })
          }
        >
          {name}
        </button>
      ))}
    </fieldset>
  );
}

interface FiguresProps {
  readonly spans: readonly LatencySpan[];
  readonly range: ToolsAnswer['range'];
  readonly view: View;
  readonly slots: Slots;
  readonly point: Point;
}

function Figures({ spans, range, view, slots, point }: FiguresProps) {
  const rows = spans.map(({ row }) => row);
  return (
    <>
      <table className="rank latency" aria-label="p50 and p95 per tool">
        <thead>
          <tr>
            <th scope="col">Tool</th>
            <th scope="col" className="span-head" title="From p50 to p95, on a logarithmic axis">
              <span className="visually-hidden">From p50 to p95</span>
            </th>
            <th scope="col" className="end">
              p50
            </th>
            <th scope="col" className="end">
              p95
            </th>
          </tr>
        </thead>
        <tbody>
          {spans.slice(0, ROWS_BESIDE).map(({ row, start, end }) => (
            <tr
              key={toolKey(row)}
              onPointerEnter={() => point(toolKey(row))}
              onPointerLeave={() => point(undefined)}
              title={`n ${row.calls}`}
            >
              <td>
                <ToolName
                  row={row}
                  slot={slots.slotOf(toolKey(row))}
                  rows={rows}
                  path={toolPath(view, row)}
                />
              </td>
              <td className="span-cell">
                <Span start={start} end={end} />
              </td>
              <td className={row.calls < FEW_CALLS ? 'end few' : 'end'}>{formatDuration(row.p50Ms)}</td>
              <td className={row.calls < FEW_CALLS ? 'end few' : 'end'}>
                <FewCalls n={row.calls} /> {formatDuration(row.p95Ms)}
              </td>
            </tr>
          ))}
        </tbody>
      </table>
      <BesideFoot
        drawn={{ id: 'tools-by-p95', title: 'p50 and p95 of the range', range }}
        table={toToolsTable(rows)}
        rest={
          spans.length > ROWS_BESIDE ? (
            <Link href={toolsPath(view, { sort: '-p95' })}>All {spans.length} tools</Link>
          ) : null
        }
      />
    </>
  );
}

/** A bar from p50 (open dot) to p95 (filled dot). */
function Span({ start, end }: { readonly start: number; readonly end: number }) {
  return (
    <span className="span" aria-hidden="true">
      <i className="reach" style={{ left: `${start * 100}%`, width: `${(end - start) * 100}%` }} />
      <i className="dot open" style={{ left: `${start * 100}%` }} />
      <i className="dot" style={{ left: `${end * 100}%` }} />
    </span>
  );
}
