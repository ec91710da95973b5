// The rules and their states. Read-only: rules are defined in a file that can be versioned with the code.
import type { AlertRuleRow, AlertsResponse } from '../../../../src/contract/alerts.ts';
import { AlertStateBadge } from '../../components/alert-state-badge.tsx';
import { type Column, DataTable } from '../../components/data-table.tsx';
import { Panel } from '../../components/panel.tsx';
import { formatDuration } from '../../format/format-duration.ts';

export function RulesPanel({ response: { rules, rulesFile } }: { readonly response: AlertsResponse }) {
  return (
    <Panel
      title="Rules"
      note={
        rulesFile === null ? (
          <>
            built-in; <code>alerts.json</code> in the data directory changes them
          </>
        ) : (
          <>
            from <code>{rulesFile}</code>
          </>
        )
      }
    >
      <DataTable label="Rules" columns={COLUMNS} rows={rules} keyOf={({ id }) => id} />
    </Panel>
  );
}

const COLUMNS: readonly Column<AlertRuleRow>[] = [
  {
    id: 'state',
    header: 'State',
    cell: ({ enabled, state }) =>
      enabled ? <AlertStateBadge state={state} /> : <span className="muted">off</span>,
  },
  { id: 'id', header: 'Rule', priority: 2, cell: ({ id }) => <code>{id}</code> },
  { id: 'sentence', header: 'Condition', cell: ({ sentence }) => <span className="wrap">{sentence}</span> },
  {
    id: 'for',
    header: 'Pending for',
    align: 'end',
    priority: 3,
    title: 'How long the condition must hold before the alert fires',
    cell: ({ forSeconds }) => formatSeconds(forSeconds),
  },
  {
    id: 'keep',
    header: 'Resolves after',
    align: 'end',
    priority: 3,
    title: 'How long the condition must be gone before the alert is resolved',
    cell: ({ keepFiringForSeconds }) => formatSeconds(keepFiringForSeconds),
  },
  {
    id: 'group',
    header: 'Grouped by',
    priority: 4,
    cell: ({ groupBy }) => <span className="list">{groupBy.join(', ')}</span>,
  },
  { id: 'notify', header: 'Notifies', priority: 3, cell: ({ notify }) => notify.join(', ') },
];

function formatSeconds(seconds: number): string {
  return seconds === 0 ? 'at once' : formatDuration(seconds * 1_000);
}
