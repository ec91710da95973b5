// How often each tool is called.
import { Link } from 'wouter';
import type { ToolRow, ToolsAnswer } from '../../../src/contract/answers.ts';
import { useSeries } from '../api/questions.ts';
import { formatCallRate, prepareCallRate } from '../charts/prepare-call-rate.ts';
import { type Slots, toolKey } from '../charts/prepare-slots.ts';
import { Count } from '../components/figures.tsx';
import { type Asked, Shell } from '../components/shell.tsx';
import { ToolName } from '../components/tool-name.tsx';
import { toCalls, toolPath, toolsPath } from '../paths.ts';
import type { View } from '../view/view.ts';
import { BesideFoot } from './beside-foot.tsx';
import { ChartPanel, type Point } from './chart-panel.tsx';
import { earlierWord } from './overview/earlier-word.ts';
import { toToolsTable } from './tools-table.tsx';

export interface ToolPanelProps {
  readonly view: View;
  readonly tools: Asked<ToolsAnswer>;
  readonly slots: Slots;
}

/** Rows beside a chart; the rest is on the tools page. */
export const ROWS_BESIDE = 8;

export function CallRatePanel({ view, tools, slots }: ToolPanelProps) {
  const series = useSeries(view, 'calls');
  return (
    <ChartPanel
      id="calls"
      title="Call rate per tool"
      label="Calls per tool over time, as a rate"
      series={series}
      prepare={(answer, nowMs) =>
        prepareCallRate(answer, { slots, nowMs, earlier: earlierWord(answer, view) })
      }
      emptySentence="No tool was called in this range."
      figures={(point) => (
        <Shell
          asked={tools}
          rows={6}
          empty={({ tools }) => (tools.length > 0 ? undefined : 'No calls to count.')}
        >
          {({ tools: rows, range }) => <Figures {...{ rows, range, view, slots, point }} />}
        </Shell>
      )}
    />
  );
}

interface FiguresProps {
  readonly rows: readonly ToolRow[];
  readonly range: ToolsAnswer['range'];
  readonly view: View;
  readonly slots: Slots;
  readonly point: Point;
}

function Figures({ rows, range, view, slots, point }: FiguresProps) {
  const byCalls = [...rows].sort((a, b) => b.calls - a.calls || a.tool.localeCompare(b.tool));
  return (
    <>
      <table className="rank" aria-label="Calls per tool">
        <thead>
          <tr>
            <th scope="col">Tool</th>
            <th scope="col" className="end">
              Calls
            </th>
            <th scope="col" className="end">
              Rate
            </th>
          </tr>
        </thead>
        <tbody>
          {byCalls.slice(0, ROWS_BESIDE).map((row) => (
            <tr
              key={toolKey(row)}
              onPointerEnter={() => point(toolKey(row))}
              onPointerLeave={() => point(undefined)}
            >
              <td>
                <ToolName
                  row={row}
                  slot={slots.slotOf(toolKey(row))}
                  rows={rows}
                  path={toolPath(view, row)}
                />
              </td>
              <td className="end">
                <Link href={toCalls(view, { server: row.server, tool: row.tool })}>
                  <Count value={row.calls} />
                </Link>
              </td>
              <td className="end">{formatCallRate(row.callsPerMinute)}</td>
            </tr>
          ))}
        </tbody>
      </table>
      <BesideFoot
        drawn={{ id: 'tools-by-calls', title: 'Calls per tool', range }}
        table={toToolsTable(byCalls)}
        rest={rows.length > ROWS_BESIDE ? <Link href={toolsPath(view)}>All {rows.length} tools</Link> : null}
      />
    </>
  );
}
