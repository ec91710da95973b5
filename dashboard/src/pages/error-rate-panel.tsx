// Which tools fail, how often, and with which code.
import { Fragment } from 'react';
import { Link } from 'wouter';
import type { ErrorRow, ErrorsAnswer, ToolRow } from '../../../src/contract/answers.ts';
import { useErrors, useSeries } from '../api/questions.ts';
import { prepareErrorRate } from '../charts/prepare-error-rate.ts';
import { type Slots, toolKey } from '../charts/prepare-slots.ts';
import { Count, Rate } from '../components/figures.tsx';
import { FaultMark, formatOutcome } from '../components/outcome.tsx';
import { Shell } from '../components/shell.tsx';
import { ToolName } from '../components/tool-name.tsx';
import { toCalls, toolPath, toolsPath } from '../paths.ts';
import { type View, withFilter } from '../view/view.ts';
import { BesideFoot } from './beside-foot.tsx';
import type { ToolPanelProps } from './call-rate-panel.tsx';
import { ChartPanel, type Point } from './chart-panel.tsx';
import { earlierWord } from './overview/earlier-word.ts';
import { toHeatTable } from './overview/heat-table.tsx';
import { type ErrorGroup, prepareErrorGroups } from './prepare-error-groups.ts';

/** Failing tools beside the chart; each brings its codes along. */
const GROUPS_BESIDE = 5;

export function ErrorRatePanel({ view, tools, slots }: ToolPanelProps) {
  const series = useSeries(view, 'errorRate');
  const errors = useErrors(view);
  return (
    <ChartPanel
      id="errors"
      title="Error rate per tool and code"
      note={
        <span className="key">
          <FaultMark fault="client" /> the agent’s fault <FaultMark fault="server" /> the server’s
        </span>
      }
      label="Error rate per tool over time"
      series={series}
      prepare={(answer, nowMs) =>
        prepareErrorRate(answer, { slots, nowMs, earlier: earlierWord(answer, view) })
      }
      emptySentence="No call failed in this range."
      figures={(point) => (
        <Shell
          asked={errors}
          rows={6}
          empty={(answer) => (hasErrors(answer) ? undefined : 'No errors, so no codes.')}
        >
          {(answer) => (
            <Figures answer={answer} tools={tools.data?.tools ?? []} {...{ view, slots, point }} />
          )}
        </Shell>
      )}
    />
  );
}

function hasErrors({ errors }: ErrorsAnswer): boolean {
  return errors.some(({ fault }) => fault !== 'none');
}

interface FiguresProps {
  readonly answer: ErrorsAnswer;
  readonly tools: readonly ToolRow[];
  readonly view: View;
  readonly slots: Slots;
  readonly point: Point;
}

function Figures({ answer, tools, view, slots, point }: FiguresProps) {
  const groups = prepareErrorGroups(answer, tools);
  return (
    <>
      <table className="rank codes" aria-label="Errors per tool and code">
        <thead>
          <tr>
            <th scope="col">Tool and code</th>
            <th scope="col" className="end">
              Errors
            </th>
            <th scope="col" className="end">
              Of its calls
            </th>
          </tr>
        </thead>
        <tbody>
          {groups.slice(0, GROUPS_BESIDE).map((group) => (
            <Fragment key={toolKey(group)}>
              <GroupRow {...{ group, groups, view, slots, point }} />
              {group.codes.map((row) => (
                <CodeRow key={`${row.code} ${row.outcome}`} {...{ row, group, view }} />
              ))}
            </Fragment>
          ))}
        </tbody>
      </table>
      <BesideFoot
        drawn={{ id: 'errors-by-code', title: 'Errors per tool and code', range: answer.range }}
        table={toHeatTable(answer, tools)}
        rest={
          groups.length > GROUPS_BESIDE ? (
            <Link href={toolsPath(view, { sort: '-errors' })}>All {groups.length} failing tools</Link>
          ) : null
        }
      />
    </>
  );
}

interface GroupRowProps extends Pick<FiguresProps, 'view' | 'slots' | 'point'> {
  readonly group: ErrorGroup;
  readonly groups: readonly ErrorGroup[];
}

function GroupRow({ group, groups, view, slots, point }: GroupRowProps) {
  const own = withFilter(withFilter(view, ['server', group.server]), ['tool', group.tool]);
  return (
    <tr
      className="group"
      onPointerEnter={() => point(toolKey(group))}
      onPointerLeave={() => point(undefined)}
    >
      <td>
        <ToolName
          row={group}
          slot={slots.slotOf(toolKey(group))}
          rows={groups}
          path={toolPath(view, group)}
        />
      </td>
      <td className="end">
        <Link href={toCalls(own, { errors: 'true' })}>
          <Count value={group.errors} />
        </Link>
      </td>
      <td className="end">
        <Rate rate={group.rate} n={group.calls} withN />
      </td>
    </tr>
  );
}

interface CodeRowProps {
  readonly row: ErrorRow;
  readonly group: ErrorGroup;
  readonly view: View;
}

function CodeRow({ row, group, view }: CodeRowProps) {
  const own = withFilter(withFilter(view, ['server', row.server]), ['tool', row.tool]);
  const hasOwnCode = row.code !== row.outcome;
  return (
    <tr className="code-row">
      <td>
        <span className="code-name">
          <FaultMark fault={row.fault} />
          <Link href={toCalls(own, { errors: 'true', code: row.code, outcome: row.outcome })}>
            {hasOwnCode ? <code>{row.code}</code> : formatOutcome(row.outcome)}
          </Link>
          {hasOwnCode ? <span className="muted">{formatOutcome(row.outcome)}</span> : null}
        </span>
      </td>
      <td className="end">
        <Count value={row.count} />
      </td>
      <td className="end">
        <span className={`meter ${row.fault}`} aria-hidden="true">
          <i style={{ width: `${Math.max(2, row.rate * 100)}%` }} />
        </span>
        <Rate rate={group.calls === 0 ? row.rate : row.count / group.calls} n={group.calls} isMarked />
      </td>
    </tr>
  );
}
