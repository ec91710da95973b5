// Who is told, and a message to try it with. An address is a secret: only its origin is known here.
import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { type AlertsAnswer, AlertTestAnswer } from '../../../src/contract/alerts.ts';
import { change } from '../api/ask.ts';
import { type Column, DataTable } from '../components/data-table.tsx';
import { Panel } from '../components/panel.tsx';

type Receiver = AlertsAnswer['receivers'][number];

interface Tried {
  readonly receiver: string;
  readonly words: string;
}

export function ReceiversPanel({ receivers }: { readonly receivers: readonly Receiver[] }) {
  const client = useQueryClient();
  const [tried, setTried] = useState<Tried>();
  async function test({ name }: Receiver): Promise<void> {
    setTried({ receiver: name, words: 'sending…' });
    setTried({ receiver: name, words: await sendTest(name) });
    await client.invalidateQueries();
  }
  return (
    <Panel title="Receivers">
      <DataTable
        label="Receivers"
        columns={toColumns({ tried, test: (receiver) => void test(receiver) })}
        rows={receivers}
        keyOf={({ name }) => name}
      />
    </Panel>
  );
}

/** What became of a test message, in words. */
async function sendTest(receiver: string): Promise<string> {
  try {
    const schema = AlertTestAnswer;
    const answer = await change('alerts/test', { method: 'POST', body: { receiver }, schema });
    return answer.status === 'delivered' ? 'delivered' : `failed: ${answer.reason}`;
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}

interface ColumnsInput {
  readonly tried: Tried | undefined;
  readonly test: (receiver: Receiver) => void;
}

function toColumns({ tried, test }: ColumnsInput): Column<Receiver>[] {
  return [
    { id: 'name', header: 'Receiver', cell: ({ name }) => name },
    { id: 'type', header: 'Kind', cell: ({ type }) => type },
    {
      id: 'target',
      header: 'Address',
      priority: 2,
      cell: ({ target }) => (target === null ? <span className="muted">here</span> : <code>{target}</code>),
    },
    {
      id: 'test',
      header: 'Test message',
      align: 'end',
      cell: (receiver) => (
        <span className="tried">
          <output className="wrap muted">{tried?.receiver === receiver.name ? tried.words : ''}</output>
          <button
            type="button"
            className="button"
            aria-label={`Test ${receiver.name}`}
            onClick={() => test(receiver)}
          >
            Test
          </button>
        </span>
      ),
    },
  ];
}
