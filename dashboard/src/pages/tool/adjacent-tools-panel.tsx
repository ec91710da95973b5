// Tools called before and after a tool, how often that fails, and tools that agents use instead.
import { Link } from 'wouter';
import type { Proportion, ToolResponse } from '../../../../src/contract/tool.ts';
import { ChartPanel } from '../../components/chart-panel.tsx';
import { Count, Share } from '../../components/values.tsx';
import { formatPlural } from '../../format/format-number.ts';
import { toolPath } from '../../paths.ts';
import { type AdjacentToolRow, toAdjacentToolRows, toAdjacentToolsTable } from './adjacent-tools-table.tsx';
import type { ToolPanelProps } from './tool-panel-props.ts';

const MAX_ROWS = 6;

export function AdjacentToolsPanel({ response, view }: ToolPanelProps) {
  const { server, tool, sequence, range } = response;
  const rows = toAdjacentToolRows(response);
  if (rows.length === 0) return null;
  const pathOf = (tool: string): string => toolPath(view, { tool, server });
  return (
    <ChartPanel
      id="neighbours"
      title="Neighbours"
      note={describeWindow(sequence)}
      of={{ server, tool }}
      range={range}
      table={toAdjacentToolsTable(rows)}
    >
      <div className="thirds">
        <AdjacentToolList
          position="before"
          title="Called before it"
          fails={`${tool} then failed`}
          {...{ rows, pathOf }}
        />
        <AdjacentToolList
          position="after"
          title="Called after it"
          fails="It then failed"
          {...{ rows, pathOf }}
        />
        <AdjacentToolList
          position="instead"
          title="Succeeded in its place"
          empty="No call was abandoned for another tool that then succeeded."
          {...{ rows, pathOf }}
        />
      </div>
    </ChartPanel>
  );
}

function describeWindow({ isWhole, calls }: ToolResponse['sequence']): string | undefined {
  return isWhole ? undefined : `from the newest ${formatPlural(calls, 'call')} of its server`;
}

interface AdjacentToolListProps {
  readonly position: AdjacentToolRow['position'];
  readonly title: string;
  /** The denominator of the failure share; omitted when there is none. */
  readonly fails?: string;
  readonly rows: readonly AdjacentToolRow[];
  readonly pathOf: (tool: string) => string;
  readonly empty?: string;
}

function AdjacentToolList({
  position,
  title,
  fails,
  rows,
  pathOf,
  empty = 'Nothing.',
}: AdjacentToolListProps) {
  const own = rows.filter((row) => row.position === position);
  return (
    <div>
      <h3>{title}</h3>
      {own.length === 0 ? (
        <p className="muted small">{empty}</p>
      ) : (
        <table className="rank" aria-label={title}>
          <thead>
            <tr>
              <th scope="col">Tool</th>
              <th scope="col" className="end" title={fails}>
                {fails ? 'Fails' : 'Sessions'}
              </th>
              <th scope="col" className="end">
                Times
              </th>
            </tr>
          </thead>
          <tbody>
            {own.slice(0, MAX_ROWS).map(({ tool, count, sessions, endedInFailure }) => (
              <tr key={tool}>
                <td>
                  <Link href={pathOf(tool)}>{tool}</Link>
                </td>
                <td className="end">
                  <FailureShare share={endedInFailure} sessions={sessions} />
                </td>
                <td className="end">
                  <Count value={count} />
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      )}
    </div>
  );
}

interface FailureShareProps {
  readonly share: Proportion | null;
  readonly sessions: number | null;
}

function FailureShare({ share, sessions }: FailureShareProps) {
  if (share) return <Share share={share} />;
  return sessions === null ? null : <Count value={sessions} />;
}
