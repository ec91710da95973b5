// Who changed which rule on the dashboard, newest first, with the rule before and after.
import { Link } from 'wouter';
import type { RuleChangeRow } from '../../../../src/contract/alert-rules.ts';
import { useResource } from '../../api/queries.ts';
import { type Column, DataTable } from '../../components/data-table.tsx';
import { Panel } from '../../components/panel.tsx';
import { QueryBoundary } from '../../components/query-boundary.tsx';
import { agoColumn } from '../../components/table-columns.tsx';
import { alertRulePath } from '../../paths.ts';
import type { View } from '../../view/view.ts';

export function RuleChangesPanel({ view }: { readonly view: View }) {
  const result = useResource('alertRules', {});
  return (
    <Panel title="Changes of rules" note="made on this page; the rules file has its own history">
      <QueryBoundary
        result={result}
        skeletonRows={2}
        empty={({ changes }) => (changes.length > 0 ? undefined : 'No rule was changed here.')}
      >
        {({ changes }) => (
          <DataTable
            label="Changes of rules"
            columns={toColumns(view)}
            rows={changes}
            keyOf={({ id }) => id}
            detail={(change) => (change.before || change.after ? <ChangedText change={change} /> : undefined)}
          />
        )}
      </QueryBoundary>
    </Panel>
  );
}

function ChangedText({ change: { before, after } }: { readonly change: RuleChangeRow }) {
  return (
    <details>
      <summary>Text</summary>
      {before === null ? null : (
        <>
          <p className="muted small">before</p>
          <pre>{before}</pre>
        </>
      )}
      {after === null ? null : (
        <>
          <p className="muted small">after</p>
          <pre>{after}</pre>
        </>
      )}
    </details>
  );
}

function toColumns(view: View): Column<RuleChangeRow>[] {
  return [
    {
      id: 'what',
      header: 'Change',
      cell: ({ ruleId, change, receiver }) => (
        <span className="wrap">
          {change === 'removed' ? (
            <code>{ruleId}</code>
          ) : (
            <Link href={alertRulePath(view, { id: ruleId })}>
              <code>{ruleId}</code>
            </Link>
          )}{' '}
          {change}
          {receiver === null ? '' : `, with the receiver ${receiver}`}
        </span>
      ),
    },
    { id: 'author', header: 'By', cell: ({ author }) => author || <span className="muted">no name</span> },
    agoColumn(['at', 'Time'], ({ at }) => at),
  ];
}
