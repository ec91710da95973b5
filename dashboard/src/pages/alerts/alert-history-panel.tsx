// Alerts that fired or were resolved in the range, newest first, including those no longer active.
import type { AlertEventRow } from '../../../../src/contract/alerts.ts';
import { useResource } from '../../api/queries.ts';
import { AlertStateBadge } from '../../components/alert-state-badge.tsx';
import { type Column, DataTable } from '../../components/data-table.tsx';
import { Panel } from '../../components/panel.tsx';
import { QueryBoundary } from '../../components/query-boundary.tsx';
import { agoColumn } from '../../components/table-columns.tsx';
import { useRangeText } from '../../view/use-range-text.ts';
import type { View } from '../../view/view.ts';
import { AlertSentence } from './alert-sentence.tsx';

export function AlertHistoryPanel({ view }: { readonly view: View }) {
  const result = useResource('alertEvents', { from: view.from, to: view.to, server: view.server });
  const range = useRangeText(view);
  return (
    <Panel title="History" note={`changes of state ${range}`}>
      <QueryBoundary
        result={result}
        skeletonRows={3}
        empty={({ events }) => (events.length > 0 ? undefined : `No alert changed its state ${range}.`)}
      >
        {({ events }) => (
          <DataTable
            label="History"
            columns={toColumns(view)}
            rows={events}
            keyOf={({ ruleId, fingerprint, at, to }) => `${ruleId} ${fingerprint} ${at} ${to}`}
          />
        )}
      </QueryBoundary>
    </Panel>
  );
}

function toColumns(view: View): Column<AlertEventRow>[] {
  return [
    { id: 'to', header: 'State', cell: ({ to }) => <AlertStateBadge state={to} /> },
    { id: 'what', header: 'Alert', cell: (event) => <AlertSentence alert={event} view={view} /> },
    { id: 'rule', header: 'Rule', priority: 3, cell: ({ ruleId }) => <code>{ruleId}</code> },
    {
      id: 'from',
      header: 'Previous state',
      priority: 4,
      cell: ({ from }) => <span className="muted">{from}</span>,
    },
    agoColumn(['at', 'Time'], ({ at }) => at),
  ];
}
