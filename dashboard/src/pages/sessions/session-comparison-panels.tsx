// The details of a session comparison: facts side by side, calls by tool, and call by call.
import { type ReactNode, useState } from 'react';
import { Link } from 'wouter';
import type { SessionResponse, SessionRow } from '../../../../src/contract/sessions.ts';
import { ChartPanel } from '../../components/chart-panel.tsx';
import { DataTable } from '../../components/data-table.tsx';
import { Panel } from '../../components/panel.tsx';
import { Ago } from '../../components/values.tsx';
import { formatDuration } from '../../format/format-duration.ts';
import { formatCount, formatPlural } from '../../format/format-number.ts';
import { truncateMiddle } from '../../format/truncate-middle.ts';
import { sessionPath } from '../../paths.ts';
import { isCountedCall } from '../session/prepare-timeline-rows.ts';
import {
  compareSessions,
  countCallsByTool,
  describeSessionComparison,
  type SessionComparison,
} from './compare-sessions.ts';
import { SessionOutcomeBadge } from './session-columns.tsx';
import type { SessionComparisonProps } from './session-comparison-props.ts';
import { toStepsTable, toToolPairsTable } from './session-comparison-tables.tsx';

const MIN_SHOWN_STEPS = 20;
const STEPS_AFTER_DIVERGENCE = 10;

export function SessionComparisonPanels({ a, b, view }: SessionComparisonProps) {
  const [ofA, ofB] = [a.calls.filter(isCountedCall), b.calls.filter(isCountedCall)];
  const comparison = compareSessions(ofA, ofB);
  const isCut = a.nextCursor !== null || b.nextCursor !== null;
  return (
    <>
      <h1>{describeSessionComparison(comparison)}</h1>
      {isCut ? (
        <p className="muted">Compared are the first {formatPlural(1_000, 'request')} of each.</p>
      ) : null}
      <SessionFactsTable a={a} b={b} view={view} />
      {comparison.steps.length > 0 ? (
        <>
          <ChartPanel
            id="by-tool"
            title="Calls by tool"
            note="those that differ most first"
            table={toToolPairsTable(countCallsByTool(ofA, ofB))}
            isTable
          >
            <DataTable {...toToolPairsTable(countCallsByTool(ofA, ofB))} />
          </ChartPanel>
          <ComparisonSteps comparison={comparison} sessions={{ a, b, view }} />
        </>
      ) : null}
    </>
  );
}

interface ComparisonStepsProps {
  readonly comparison: SessionComparison;
  readonly sessions: SessionComparisonProps;
}

/** The steps up to the divergence and a few more; later calls have no counterpart to compare with. */
function ComparisonSteps({ comparison, sessions }: ComparisonStepsProps) {
  const [whole, setWhole] = useState(false);
  const table = toStepsTable(comparison, sessions);
  const divergenceAt = comparison.divergence ? comparison.steps.indexOf(comparison.divergence) : -1;
  const shown = Math.max(MIN_SHOWN_STEPS, divergenceAt + STEPS_AFTER_DIVERGENCE);
  const { length } = table.rows;
  return (
    <ChartPanel
      id="by-call"
      title="Call by call"
      note={comparison.divergence ? 'after they part, the same place says nothing' : undefined}
      table={table}
      isTable
    >
      <DataTable {...table} rows={whole || divergenceAt < 0 ? table.rows : table.rows.slice(0, shown)} />
      {divergenceAt >= 0 && length > shown ? (
        <p className="more">
          <button type="button" className="link" onClick={() => setWhole(!whole)}>
            {whole ? 'Show fewer' : `All ${length} places`}
          </button>
        </p>
      ) : null}
    </ChartPanel>
  );
}

interface FactRow {
  readonly name: string;
  readonly render: (answer: SessionResponse) => ReactNode;
}

const toDurationMs = ({ startedAt, endedAt }: SessionRow): number =>
  Date.parse(endedAt) - Date.parse(startedAt);

const SESSION_FACTS: readonly FactRow[] = [
  { name: 'Client', render: ({ session }) => session.client || 'unknown' },
  { name: 'Server', render: ({ session }) => session.server },
  { name: 'Outcome', render: ({ session }) => <SessionOutcomeBadge session={session} /> },
  { name: 'Tool calls', render: ({ session }) => formatCount(session.calls) },
  { name: 'Errors', render: ({ session }) => formatCount(session.errors) },
  { name: 'Loops', render: ({ loops }) => formatCount(loops.length) },
  { name: 'Lasted', render: ({ session }) => formatDuration(toDurationMs(session)) },
  { name: 'Began', render: ({ session }) => <Ago at={session.startedAt} /> },
];

function SessionFactsTable({ a, b, view }: SessionComparisonProps) {
  const columns = [
    { id: 'name', header: 'Session', cell: ({ name }: FactRow) => <span className="muted">{name}</span> },
    { id: 'a', header: 'A', cell: ({ render }: FactRow) => render(a) },
    { id: 'b', header: 'B', cell: ({ render }: FactRow) => render(b) },
  ];
  const id: FactRow = {
    name: 'Id',
    render: ({ session: { sessionId, server } }) => (
      <Link href={sessionPath(view, { id: sessionId, of: server })} title={sessionId}>
        <code>{truncateMiddle(sessionId)}</code>
      </Link>
    ),
  };
  return (
    <Panel title="Side by side">
      <DataTable
        label="Side by side"
        columns={columns}
        rows={[id, ...SESSION_FACTS]}
        keyOf={({ name }) => name}
      />
    </Panel>
  );
}
