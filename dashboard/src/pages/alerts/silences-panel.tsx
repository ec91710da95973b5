// Silences with their end time; an active one can be ended early.
import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import type { SilenceRow } from '../../../../src/contract/alerts.ts';
import { mutate } from '../../api/fetch-json.ts';
import { useSilences } from '../../api/queries.ts';
import { type Column, DataTable } from '../../components/data-table.tsx';
import { Panel } from '../../components/panel.tsx';
import { QueryBoundary } from '../../components/query-boundary.tsx';
import { Ago } from '../../components/values.tsx';
import { formatMatcher } from './describe-alerts.ts';

export function SilencesPanel() {
  const result = useSilences();
  const client = useQueryClient();
  const [problem, setProblem] = useState<string>();
  async function end({ id }: SilenceRow): Promise<void> {
    try {
      await mutate(`alerts/silences/${encodeURIComponent(id)}`, { method: 'DELETE' });
      setProblem(undefined);
    } catch (error) {
      setProblem(error instanceof Error ? error.message : String(error));
    }
    await client.invalidateQueries();
  }
  return (
    <Panel title="Silences">
      <QueryBoundary
        result={result}
        skeletonRows={2}
        empty={({ silences }) =>
          silences.length > 0
            ? undefined
            : 'Nothing is silenced. An alert above can be held back for a time; every silence ends by itself.'
        }
      >
        {({ silences }) => (
          <DataTable
            label="Silences"
            columns={toColumns((silence) => void end(silence))}
            rows={silences}
            keyOf={({ id }) => id}
          />
        )}
      </QueryBoundary>
      {problem ? (
        <p className="problem" role="alert">
          {problem}
        </p>
      ) : null}
    </Panel>
  );
}

function toColumns(end: (silence: SilenceRow) => void): Column<SilenceRow>[] {
  return [
    {
      id: 'matchers',
      header: 'Alerts with',
      cell: ({ matchers, state }) => (
        <span className={state === 'active' ? 'wrap' : 'wrap muted'}>
          {matchers.map(formatMatcher).join(', ')}
        </span>
      ),
    },
    {
      id: 'comment',
      header: 'Why',
      priority: 3,
      cell: ({ comment }) => <span className="wrap muted">{comment}</span>,
    },
    {
      id: 'ends',
      header: 'Ends',
      align: 'end',
      cell: ({ expiresAt, state }) => (
        <span className={state === 'active' ? undefined : 'muted'}>
          {state === 'active' ? '' : 'ended '}
          <Ago at={expiresAt} />
        </span>
      ),
    },
    {
      id: 'end',
      header: 'End it',
      align: 'end',
      cell: (silence) =>
        silence.state === 'active' ? (
          <button
            type="button"
            className="button"
            aria-label={`End the silence of ${silence.matchers.map(formatMatcher).join(', ')}`}
            onClick={() => end(silence)}
          >
            End
          </button>
        ) : null,
    },
  ];
}
