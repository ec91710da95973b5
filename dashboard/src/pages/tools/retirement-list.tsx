// Tools that a newer one replaces or that are deprecated, each with a verdict on its removal.

import type { RetirementRow, RetirementsResponse } from '../../../../src/contract/retirements.ts';
import { useResource } from '../../api/queries.ts';
import { type Column, DataTable } from '../../components/data-table.tsx';
import { Icon, type IconName } from '../../components/icon.tsx';
import { QueryBoundary } from '../../components/query-boundary.tsx';
import { agoColumn, countColumn, nameColumn, serverColumn } from '../../components/table-columns.tsx';
import { formatCount, formatPlural } from '../../format/format-number.ts';
import { retirementPath, toolPath } from '../../paths.ts';
import { toolKey } from '../../view/tool-ref.ts';
import type { View } from '../../view/view.ts';
import { describeVerdict, formatVerdict } from '../retirement/describe-retirement.ts';

export function RetirementList({ view }: { readonly view: View }) {
  return (
    <QueryBoundary
      result={useResource('retirements', { server: view.server })}
      skeletonRows={4}
      empty={() => undefined}
    >
      {(response) => (
        <>
          <h1>{describeRetirements(response)}</h1>
          <p className="muted">
            Tools whose title or description says <q>deprecated</q>, and tools with a newer one of the same
            name: <code>search_v2</code>, <code>search_old</code>. Verdicts cover all clients and
            environments, whatever the range.
          </p>
          {response.retirements.length === 0 ? null : (
            <DataTable
              label="Tools to retire"
              columns={toRetirementColumns(view)}
              rows={response.retirements}
              keyOf={toolKey}
            />
          )}
        </>
      )}
    </QueryBoundary>
  );
}

function describeRetirements({ retirements }: RetirementsResponse): string {
  if (retirements.length === 0) return 'No superseded or deprecated tools.';
  const safe = retirements.filter(({ verdict }) => verdict === 'safe').length;
  return `${formatPlural(retirements.length, 'tool is', 'tools are')} superseded or deprecated; ${formatCount(safe)} safe to remove.`;
}

const VERDICT_ICONS: Readonly<Record<RetirementRow['verdict'], IconName>> = {
  safe: 'check',
  still_called: 'calls',
  too_early: 'clock',
};

function toRetirementColumns(view: View): Column<RetirementRow>[] {
  return [
    nameColumn(['tool', 'Tool'], ({ tool }) => tool, { link: (row) => retirementPath(view, row) }),
    nameColumn(['successor', 'Successor'], ({ successor }) => successor ?? '', {
      priority: 2,
      unknown: 'not named',
      link: ({ server, successor }) => toolPath(view, { server, tool: successor ?? '' }),
    }),
    serverColumn({ priority: 3 }),
    {
      id: 'verdict',
      header: 'Verdict',
      cell: (row) => (
        <span className="outcome" title={describeVerdict(row)}>
          <Icon name={VERDICT_ICONS[row.verdict]} />
          <span>{formatVerdict(row)}</span>
        </span>
      ),
    },
    agoColumn(['last', 'Last call'], ({ lastCalledAt }) => lastCalledAt, { priority: 3 }),
    countColumn(['calls', 'Calls'], ({ calls }) => calls, {
      priority: 3,
      title: 'As far back as days are kept',
    }),
    countColumn(['newCalls', 'Of successor'], ({ successorCalls }) => successorCalls, { priority: 4 }),
  ];
}
