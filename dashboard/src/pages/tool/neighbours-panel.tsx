// What is called before and after a tool and how often that failed, and which tool agents meant when they called it and left.
import { Link } from 'wouter';
import type { Proportion, ToolAnswer } from '../../../../src/contract/tool.ts';
import { DrawnPanel } from '../../components/drawn-panel.tsx';
import { Count, Share } from '../../components/figures.tsx';
import { formatNoun } from '../../format/format-number.ts';
import { toolPath } from '../../paths.ts';
import { type NeighbourRow, toNeighbourRows, toNeighboursTable } from './neighbours-table.tsx';
import type { ToolPartProps } from './tool-page.tsx';

const MOST = 6;

export function NeighboursPanel({ answer, view }: ToolPartProps) {
  const { server, tool, sequence, range } = answer;
  const rows = toNeighbourRows(answer);
  if (rows.length === 0) return null;
  const pathOf = (tool: string): string => toolPath(view, { tool, server });
  return (
    <DrawnPanel
      id="neighbours"
      title="Neighbours"
      note={sayWindow(sequence)}
      of={{ server, tool }}
      range={range}
      table={toNeighboursTable(rows)}
    >
      <div className="thirds">
        <List place="before" title="Called before it" fails={`${tool} then failed`} {...{ rows, pathOf }} />
        <List place="after" title="Called after it" fails="It then failed" {...{ rows, pathOf }} />
        <List
          place="instead"
          title="Succeeded in its place"
          empty="No call was abandoned for another tool that then succeeded."
          {...{ rows, pathOf }}
        />
      </div>
    </DrawnPanel>
  );
}

function sayWindow({ isWhole, calls }: ToolAnswer['sequence']): string | undefined {
  return isWhole ? undefined : `from the newest ${formatNoun(calls, 'call')} of its server`;
}

interface ListProps {
  readonly place: NeighbourRow['place'];
  readonly title: string;
  /** What the share of failures is of; left out where there is none. */
  readonly fails?: string;
  readonly rows: readonly NeighbourRow[];
  readonly pathOf: (tool: string) => string;
  readonly empty?: string;
}

function List({ place, title, fails, rows, pathOf, empty = 'Nothing.' }: ListProps) {
  const own = rows.filter((row) => row.place === place);
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
            {own.slice(0, MOST).map(({ tool, count, sessions, endedInFailure }) => (
              <tr key={tool}>
                <td>
                  <Link href={pathOf(tool)}>{tool}</Link>
                </td>
                <td className="end">
                  <Second share={endedInFailure} sessions={sessions} />
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

interface SecondProps {
  readonly share: Proportion | null;
  readonly sessions: number | null;
}

function Second({ share, sessions }: SecondProps) {
  if (share) return <Share share={share} />;
  return sessions === null ? null : <Count value={sessions} />;
}
