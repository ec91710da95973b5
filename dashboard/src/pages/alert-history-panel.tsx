// What fired and what ended in the range, newest first: the record that stays when an alert has left the list above.
import { Link } from 'wouter';
import type { AlertEventRow } from '../../../src/contract/alerts.ts';
import { useAlertEvents } from '../api/questions.ts';
import { AlertMark } from '../components/alert-mark.tsx';
import { type Column, DataTable } from '../components/data-table.tsx';
import { Ago } from '../components/figures.tsx';
import { Panel } from '../components/panel.tsx';
import { Shell } from '../components/shell.tsx';
import { formatRange } from '../format/format-range.ts';
import { sessionPath } from '../paths.ts';
import { useZone } from '../view/preferences.ts';
import { useNow } from '../view/use-now.ts';
import type { View } from '../view/view.ts';

export function AlertHistoryPanel({ view }: { readonly view: View }) {
  const asked = useAlertEvents(view);
  const zone = useZone();
  const nowMs = useNow(60_000);
  const range = formatRange(view, { nowMs, zone });
  return (
    <Panel title="History" note={`what began and ended ${range}`}>
      <Shell
        asked={asked}
        rows={3}
        empty={({ events }) => (events.length > 0 ? undefined : `No alert began or ended ${range}.`)}
      >
        {({ events }) => (
          <DataTable
            label="History"
            columns={toColumns(view)}
            rows={events}
            keyOf={({ ruleId, fingerprint, at, to }) => `${ruleId} ${fingerprint} ${at} ${to}`}
          />
        )}
      </Shell>
    </Panel>
  );
}

function toColumns(view: View): Column<AlertEventRow>[] {
  return [
    { id: 'to', header: 'Became', cell: ({ to }) => <AlertMark state={to} /> },
    {
      id: 'what',
      header: 'What',
      cell: ({ sentence, labels }) => <What sentence={sentence} labels={labels} view={view} />,
    },
    { id: 'rule', header: 'Rule', priority: 3, cell: ({ ruleId }) => <code>{ruleId}</code> },
    {
      id: 'from',
      header: 'Before',
      priority: 4,
      cell: ({ from }) => <span className="muted">{from}</span>,
    },
    { id: 'at', header: 'When', align: 'end', cell: ({ at }) => <Ago at={at} /> },
  ];
}

interface WhatProps extends Pick<AlertEventRow, 'sentence' | 'labels'> {
  readonly view: View;
}

function What({ sentence, labels, view }: WhatProps) {
  const { session_id: id, server: of } = labels;
  return (
    <span className="wrap">
      {id && of ? <Link href={sessionPath(view, { id, of })}>{sentence}</Link> : sentence}
    </span>
  );
}
