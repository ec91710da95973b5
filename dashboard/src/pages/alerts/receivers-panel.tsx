// The receivers, with test notifications. A receiver's URL is secret: the service returns only its origin.
import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { type AlertsResponse, AlertTestResponse } from '../../../../src/contract/alerts.ts';
import { mutate } from '../../api/fetch-json.ts';
import { type Column, DataTable } from '../../components/data-table.tsx';
import { Panel } from '../../components/panel.tsx';

type Receiver = AlertsResponse['receivers'][number];

interface TestResult {
  readonly receiver: string;
  readonly text: string;
}

export function ReceiversPanel({ receivers }: { readonly receivers: readonly Receiver[] }) {
  const client = useQueryClient();
  const [testResult, setTestResult] = useState<TestResult>();
  async function test({ name }: Receiver): Promise<void> {
    setTestResult({ receiver: name, text: 'sending…' });
    setTestResult({ receiver: name, text: await sendTest(name) });
    await client.invalidateQueries();
  }
  return (
    <Panel title="Receivers">
      <DataTable
        label="Receivers"
        columns={toColumns({ testResult, test: (receiver) => void test(receiver) })}
        rows={receivers}
        keyOf={({ name }) => name}
      />
    </Panel>
  );
}

/** Sends a test notification and describes the result. */
async function sendTest(receiver: string): Promise<string> {
  try {
    const schema = AlertTestResponse;
    const response = await mutate('alerts/test', { method: 'POST', body: { receiver }, schema });
    return response.status === 'delivered' ? 'delivered' : `failed: ${response.reason}`;
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}

interface ColumnsInput {
  readonly testResult: TestResult | undefined;
  readonly test: (receiver: Receiver) => void;
}

function toColumns({ testResult, test }: ColumnsInput): Column<Receiver>[] {
  return [
    { id: 'name', header: 'Receiver', cell: ({ name }) => name },
    { id: 'type', header: 'Type', cell: ({ type }) => type },
    {
      id: 'target',
      header: 'Address',
      priority: 2,
      cell: ({ target }) =>
        target === null ? <span className="muted">built-in</span> : <code>{target}</code>,
    },
    {
      id: 'test',
      header: 'Test',
      align: 'end',
      cell: (receiver) => (
        <span className="tried">
          <output className="wrap muted">
            {testResult?.receiver === receiver.name ? testResult.text : ''}
          </output>
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
