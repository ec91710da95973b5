// What became of every message: waiting ones first, then the newest.
import type { AlertDeliveryRow } from '../../../src/contract/alerts.ts';
import { useDeliveries } from '../api/questions.ts';
import { type Column, DataTable } from '../components/data-table.tsx';
import { Ago } from '../components/figures.tsx';
import { Icon } from '../components/icon.tsx';
import { Panel } from '../components/panel.tsx';
import { Shell } from '../components/shell.tsx';
import { formatDelivery } from './format-alerts.ts';

export function DeliveriesPanel() {
  const asked = useDeliveries();
  return (
    <Panel title="Deliveries">
      <Shell
        asked={asked}
        rows={3}
        empty={({ deliveries }) => (deliveries.length > 0 ? undefined : 'No message has been sent yet.')}
      >
        {({ deliveries }) => (
          <DataTable
            label="Deliveries"
            columns={COLUMNS}
            rows={deliveries}
            keyOf={({ id, receiver }) => `${id} ${receiver}`}
          />
        )}
      </Shell>
    </Panel>
  );
}

const ICONS = { waiting: 'clock', delivered: 'check', failed: 'server' } as const;

const COLUMNS: readonly Column<AlertDeliveryRow>[] = [
  {
    id: 'status',
    header: 'Status',
    cell: (delivery) => (
      <span className="delivery" data-status={delivery.status}>
        <Icon name={ICONS[delivery.status]} />
        <span className="wrap">{formatDelivery(delivery)}</span>
      </span>
    ),
  },
  { id: 'receiver', header: 'To', cell: ({ receiver }) => receiver },
  { id: 'says', header: 'Says', priority: 2, cell: ({ says }) => says },
  {
    id: 'sentence',
    header: 'About',
    priority: 3,
    cell: ({ sentence }) => <span className="wrap">{sentence}</span>,
  },
  {
    id: 'next',
    header: 'Next try',
    align: 'end',
    priority: 4,
    cell: ({ nextAttemptAt }) => (nextAttemptAt === null ? '' : <Ago at={nextAttemptAt} />),
  },
  {
    id: 'created',
    header: 'Written',
    align: 'end',
    priority: 2,
    cell: ({ createdAt }) => <Ago at={createdAt} />,
  },
];
