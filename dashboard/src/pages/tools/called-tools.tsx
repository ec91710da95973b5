// The tools that were called: all of them, or those that fail, are slow or cost much.
import { useLocation } from 'wouter';
import { useErrors, useTools } from '../../api/questions.ts';
import { useToolColumns } from '../../api/tool-questions.ts';
import { DataTable } from '../../components/data-table.tsx';
import { Nothing, useNothingWords } from '../../components/nothing.tsx';
import { Shell } from '../../components/shell.tsx';
import { formatDuration } from '../../format/format-duration.ts';
import { formatCount, formatNoun } from '../../format/format-number.ts';
import { formatRange } from '../../format/format-range.ts';
import { type ToolTab, toolsPath } from '../../paths.ts';
import { useZone } from '../../view/preferences.ts';
import { useNow } from '../../view/use-now.ts';
import { useOwn } from '../../view/use-view.ts';
import type { View } from '../../view/view.ts';
import { prepareErrorGroups } from '../prepare-error-groups.ts';
import {
  LONG_DEFINITION_FROM,
  LONG_RESULT_FROM,
  prepareToolRows,
  SLOW_FROM_MS,
  selectTab,
  type ToolLine,
} from './prepare-tool-rows.ts';
import { SequencesPanel } from './sequences-panel.tsx';
import { toToolColumns } from './tool-columns.tsx';

const SORTS: Readonly<Partial<Record<ToolTab, string>>> = {
  failing: '-errors',
  slow: '-p95',
  expensive: '-result',
};

interface CalledToolsProps {
  readonly view: View;
  readonly tab: ToolTab | undefined;
}

export function CalledTools({ view, tab }: CalledToolsProps) {
  const tools = useTools(view);
  const errors = useErrors(view);
  const columns = useToolColumns(view);
  const [, navigate] = useLocation();
  const range = useRangeWords(view);
  const usual = (tab && SORTS[tab]) ?? '-calls';
  const sort = useOwn('sort') ?? usual;
  return (
    <>
      <Shell
        asked={tools}
        rows={10}
        empty={({ tools }) => (tools.length > 0 ? undefined : <NoTool view={view} />)}
      >
        {(answer) => {
          const lines = selectTab(prepareToolRows(answer.tools, columns.data?.columns), tab);
          const groups = errors.data ? prepareErrorGroups(errors.data, answer.tools) : [];
          return (
            <>
              <h1>{toSentence(lines, { tab, range })}</h1>
              {lines.length > 0 ? (
                <DataTable
                  label="Tools"
                  columns={toToolColumns(tab, { view, groups, withIntervals: tab === 'failing' })}
                  rows={lines}
                  keyOf={({ server, tool }) => `${server} ${tool}`}
                  sort={sort}
                  onSort={(next) =>
                    navigate(toolsPath(view, { tab, sort: next === usual ? undefined : next }))
                  }
                />
              ) : null}
            </>
          );
        }}
      </Shell>
      {tab === undefined ? <SequencesPanel asked={columns} view={view} /> : null}
    </>
  );
}

function NoTool({ view }: { readonly view: View }) {
  const words = useNothingWords(view);
  return (
    <Nothing view={view}>
      <p>No tool was called{words}.</p>
    </Nothing>
  );
}

function useRangeWords(view: View): string {
  const zone = useZone();
  const nowMs = useNow(60_000);
  return formatRange(view, { nowMs, zone });
}

interface SentenceInput {
  readonly tab: ToolTab | undefined;
  readonly range: string;
}

function toSentence(lines: readonly ToolLine[], { tab, range }: SentenceInput): string {
  const count = lines.length;
  if (tab === 'failing')
    return count === 0 ? `No tool failed ${range}.` : `${formatNoun(count, 'tool')} failed ${range}.`;
  if (tab === 'slow')
    return `${count === 0 ? 'No tool takes' : `${formatNoun(count, 'tool takes', 'tools take')}`} ${formatDuration(SLOW_FROM_MS)} or more in one call of twenty.`;
  if (tab === 'expensive')
    return `${count === 0 ? 'No tool answers' : `${formatNoun(count, 'tool answers', 'tools answer')}`} with ${formatCount(LONG_RESULT_FROM)} tokens or more in one call of twenty, or takes ${formatCount(LONG_DEFINITION_FROM)} in every listing.`;
  const failing = lines.filter(({ errors }) => errors > 0).length;
  const servers = new Set(lines.map(({ server }) => server)).size;
  const called = `${formatNoun(count, 'tool')} of ${formatNoun(servers, 'server')} called ${range}`;
  return failing === 0 ? `${called}, none with an error.` : `${called}, ${failing} with errors.`;
}
