// Tools that are called one after the other: what always runs together may be one tool.
import { Link } from 'wouter';
import type { ToolColumnsAnswer } from '../../../../src/contract/tool.ts';
import { Count } from '../../components/figures.tsx';
import { Panel } from '../../components/panel.tsx';
import { type Asked, Shell } from '../../components/shell.tsx';
import { formatNoun } from '../../format/format-number.ts';
import { toolPath } from '../../paths.ts';
import type { View } from '../../view/view.ts';

const MOST = 8;

interface SequencesPanelProps {
  readonly asked: Asked<ToolColumnsAnswer>;
  readonly view: View;
}

export function SequencesPanel({ asked, view }: SequencesPanelProps) {
  return (
    <Panel title="Often called one after the other" note="what always runs together may be one tool">
      <Shell
        asked={asked}
        rows={3}
        empty={({ sequences }) => (sequences.length > 0 ? undefined : 'No tools follow one another often.')}
      >
        {({ sequences }) => (
          <table className="rank" aria-label="Often called one after the other">
            <tbody>
              {sequences.slice(0, MOST).map(({ server, tools, count, sessions }) => (
                <tr key={`${server} ${tools.join(' ')}`}>
                  <td>
                    {tools.map((tool, at) => (
                      // biome-ignore lint/suspicious/noArrayIndexKey: a tool may stand twice in a sequence
                      <span key={at}>
                        {at > 0 ? <span className="muted"> → </span> : null}
                        <Link href={toolPath(view, { server, tool })}>{tool}</Link>
                      </span>
                    ))}
                  </td>
                  <td className="end">
                    <span className="muted">{formatNoun(sessions, 'session')}, </span>
                    <Count value={count} />
                  </td>
                </tr>
              ))}
            </tbody>
          </table>
        )}
      </Shell>
    </Panel>
  );
}
