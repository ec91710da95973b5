// What is called before and after a tool, and which tool agents meant when they called it and left.
import { Link } from 'wouter';
import { Count } from '../../components/figures.tsx';
import { Panel } from '../../components/panel.tsx';
import { formatNoun } from '../../format/format-number.ts';
import { toolPath } from '../../paths.ts';
import type { ToolPartProps } from './tool-page.tsx';

const MOST = 6;

interface Row {
  readonly tool: string;
  readonly count: number;
  readonly note?: string;
}

export function NeighboursPanel({ answer, view }: ToolPartProps) {
  const { before, after, confusedWith, server, sequence } = answer;
  if (before.length + after.length + confusedWith.length === 0) return null;
  const confused = confusedWith.map(
    ({ tool, calls, sessions }): Row => ({ tool, count: calls, note: formatNoun(sessions, 'session') }),
  );
  const pathOf = (tool: string): string => toolPath(view, { tool, server });
  return (
    <Panel
      title="Neighbours"
      note={
        sequence.isWhole ? undefined : `from the newest ${formatNoun(sequence.calls, 'call')} of its server`
      }
    >
      <div className="thirds">
        <List title="Called before it" rows={before} pathOf={pathOf} />
        <List title="Called after it" rows={after} pathOf={pathOf} />
        <List
          title="Succeeded in its place"
          rows={confused}
          pathOf={pathOf}
          empty="No call was abandoned for another tool that then succeeded."
        />
      </div>
    </Panel>
  );
}

interface ListProps {
  readonly title: string;
  readonly rows: readonly Row[];
  readonly pathOf: (tool: string) => string;
  readonly empty?: string;
}

function List({ title, rows, pathOf, empty = 'Nothing.' }: ListProps) {
  return (
    <div>
      <h3>{title}</h3>
      {rows.length === 0 ? (
        <p className="muted small">{empty}</p>
      ) : (
        <table className="rank" aria-label={title}>
          <tbody>
            {rows.slice(0, MOST).map(({ tool, count, note }) => (
              <tr key={tool}>
                <td>
                  <Link href={pathOf(tool)}>{tool}</Link>
                </td>
                <td className="end">
                  {note ? <span className="muted">{note}, </span> : null}
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
