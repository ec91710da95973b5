// Which tools fail, how often, and with which code.
import { Fragment } from 'react';
import { Link } from 'wouter';
import type { ErrorRow, ErrorsResponse, ToolRow } from '../../../../src/contract/responses.ts';
import { useErrors, useSeries } from '../../api/queries.ts';
import type { ColourSlots } from '../../charts/prepare-colour-slots.ts';
import { prepareErrorRate } from '../../charts/prepare-error-rate.ts';
import { FaultIcon, formatOutcome } from '../../components/outcome-badge.tsx';
import { QueryBoundary } from '../../components/query-boundary.tsx';
import { ToolName } from '../../components/tool-name.tsx';
import { Count, Rate } from '../../components/values.tsx';
import { countedCallsPath, toolPath, toolsPath } from '../../paths.ts';
import { toolKey } from '../../view/tool-ref.ts';
import { type View, withFilter } from '../../view/view.ts';
import { type ErrorGroup, prepareErrorGroups } from '../tools/prepare-error-groups.ts';
import type { ToolChartPanelProps } from './call-rate-panel.tsx';
import { toErrorTable } from './error-table.tsx';
import { ListFooter } from './list-footer.tsx';
import { type HighlightLine, TimeSeriesPanel } from './time-series-panel.tsx';
import { toPreviousLabel } from './to-previous-label.ts';

/** Failing tools next to the chart, each with its codes. */
const MAX_LIST_GROUPS = 5;

export function ErrorRatePanel({ view, tools, slots }: ToolChartPanelProps) {
  const series = useSeries(view, 'errorRate');
  const errors = useErrors(view);
  return (
    <TimeSeriesPanel
      id="errors"
      title="Error rate per tool and code"
      note={
        <span className="key">
          <FaultIcon fault="client" /> the agent’s fault <FaultIcon fault="server" /> the server’s
        </span>
      }
      label="Error rate per tool over time"
      series={series}
      prepare={(response, nowMs) =>
        prepareErrorRate(response, { slots, nowMs, previousLabel: toPreviousLabel(response, view) })
      }
      emptyText="No call failed in this range."
      renderTable={(point) => (
        <QueryBoundary
          result={errors}
          skeletonRows={6}
          empty={(response) => (hasErrors(response) ? undefined : 'No errors, so no codes.')}
        >
          {(response) => (
            <ErrorRateTable
              response={response}
              tools={tools.data?.tools ?? []}
              {...{ view, slots, highlight: point }}
            />
          )}
        </QueryBoundary>
      )}
    />
  );
}

function hasErrors({ errors }: ErrorsResponse): boolean {
  return errors.some(({ fault }) => fault !== 'none');
}

interface ErrorRateTableProps {
  readonly response: ErrorsResponse;
  readonly tools: readonly ToolRow[];
  readonly view: View;
  readonly slots: ColourSlots;
  readonly highlight: HighlightLine;
}

function ErrorRateTable({ response, tools, view, slots, highlight }: ErrorRateTableProps) {
  const groups = prepareErrorGroups(response, tools);
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
          {groups.slice(0, MAX_LIST_GROUPS).map((group) => (
            <Fragment key={toolKey(group)}>
              <GroupRow {...{ group, groups, view, slots, highlight }} />
              {group.codes.map((row) => (
                <CodeRow key={`${row.code} ${row.outcome}`} {...{ row, group, view }} />
              ))}
            </Fragment>
          ))}
        </tbody>
      </table>
      <ListFooter
        chart={{ id: 'errors-by-code', title: 'Errors per tool and code', range: response.range }}
        table={toErrorTable(response, tools)}
        moreLink={
          groups.length > MAX_LIST_GROUPS ? (
            <Link href={toolsPath(view, { sort: '-errors' })}>All {groups.length} failing tools</Link>
          ) : null
        }
      />
    </>
  );
}

interface GroupRowProps extends Pick<ErrorRateTableProps, 'view' | 'slots' | 'highlight'> {
  readonly group: ErrorGroup;
  readonly groups: readonly ErrorGroup[];
}

function GroupRow({ group, groups, view, slots, highlight }: GroupRowProps) {
  const own = withFilter(withFilter(view, ['server', group.server]), ['tool', group.tool]);
  return (
    <tr
      className="group"
      onPointerEnter={() => highlight(toolKey(group))}
      onPointerLeave={() => highlight(undefined)}
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
        <Link href={countedCallsPath(own, { errors: 'true' })}>
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
          <FaultIcon fault={row.fault} />
          <Link href={countedCallsPath(own, { errors: 'true', code: row.code, outcome: row.outcome })}>
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
        <Rate
          rate={group.calls === 0 ? row.rate : row.count / group.calls}
          n={group.calls}
          hidesFewCallsBadge
        />
      </td>
    </tr>
  );
}
