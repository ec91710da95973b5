// The details of a session comparison: facts side by side, calls by tool, and call by call.
import { type ReactNode, useState } from 'react';
import { Link } from 'wouter';
import type { SessionCallRow, SessionResponse, SessionRow } from '../../../../src/contract/sessions.ts';
import { ChartPanel } from '../../components/chart-panel.tsx';
import { ComparisonBadge } from '../../components/comparison-badge.tsx';
import { DataTable, type ExportTable } from '../../components/data-table.tsx';
import { FaultIcon, formatOutcome } from '../../components/outcome-badge.tsx';
import { Panel } from '../../components/panel.tsx';
import { SessionLink } from '../../components/session-link.tsx';
import { countColumn, textColumn } from '../../components/table-columns.tsx';
import { Ago } from '../../components/values.tsx';
import type { ComparisonLabel } from '../../format/describe-comparison.ts';
import { formatDuration } from '../../format/format-duration.ts';
import { formatCount, formatPlural } from '../../format/format-number.ts';
import { sessionPath } from '../../paths.ts';
import { toCallKey } from '../../view/call-key.ts';
import type { View } from '../../view/view.ts';
import { toCallName } from '../session/describe-session.ts';
import { isCountedCall } from '../session/prepare-timeline-rows.ts';
import {
  type ComparisonStep,
  compareSessions,
  countCallsByTool,
  describeSessionComparison,
  type SessionComparison,
  type ToolCallCounts,
} from './compare-sessions.ts';
import { SessionOutcomeBadge } from './session-columns.tsx';

interface SessionComparisonProps {
  readonly a: SessionResponse;
  readonly b: SessionResponse;
  readonly view: View;
}

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
        <p className="muted">Only the first {formatPlural(1_000, 'request')} of each session are compared.</p>
      ) : null}
      <SessionFactsTable a={a} b={b} view={view} />
      {comparison.steps.length > 0 ? (
        <>
          <ChartPanel
            id="by-tool"
            title="Calls by tool"
            note="largest differences first"
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
      note={
        comparison.divergence ? 'after they diverge, calls at the same position are unrelated' : undefined
      }
      table={table}
      isTable
    >
      <DataTable {...table} rows={whole || divergenceAt < 0 ? table.rows : table.rows.slice(0, shown)} />
      {divergenceAt >= 0 && length > shown ? (
        <p className="more">
          <button type="button" className="link" onClick={() => setWhole(!whole)}>
            {whole ? 'Show fewer' : `All ${length} positions`}
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
  { name: 'Duration', render: ({ session }) => formatDuration(toDurationMs(session)) },
  { name: 'Started', render: ({ session }) => <Ago at={session.startedAt} /> },
];

function SessionFactsTable({ a, b, view }: SessionComparisonProps) {
  const columns = [
    { id: 'name', header: 'Session', cell: ({ name }: FactRow) => <span className="muted">{name}</span> },
    { id: 'a', header: 'A', cell: ({ render }: FactRow) => render(a) },
    { id: 'b', header: 'B', cell: ({ render }: FactRow) => render(b) },
  ];
  const id: FactRow = {
    name: 'Id',
    render: ({ session }) => <SessionLink session={session} view={view} />,
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

function toToolPairsTable(rows: readonly ToolCallCounts[]): ExportTable<ToolCallCounts> {
  return {
    label: 'Calls by tool',
    rows,
    keyOf: ({ tool }) => tool,
    columns: [
      textColumn(['tool', 'Tool'], ({ tool }) => tool),
      countColumn(['callsA', 'A'], ({ a }) => a.calls),
      { ...countColumn<ToolCallCounts>(['errorsA', 'A errors'], ({ a }) => a.errors), priority: 2 },
      countColumn(['callsB', 'B'], ({ b }) => b.calls),
      { ...countColumn<ToolCallCounts>(['errorsB', 'B errors'], ({ b }) => b.errors), priority: 2 },
    ],
  };
}

function toStepsTable(
  { steps, firstDifference, divergence }: SessionComparison,
  { a, b, view }: SessionComparisonProps,
): ExportTable<ComparisonStep> {
  const link = (call: SessionCallRow | undefined, { session }: SessionComparisonProps['a']) =>
    call ? (
      <span className="outcome">
        <FaultIcon fault={call.fault} />
        <Link
          href={sessionPath(view, {
            id: session.sessionId,
            of: session.server,
            call: toCallKey(call),
          })}
        >
          {toCallName(call)}
        </Link>
        {call.fault === 'none' ? null : (
          <code className="code">{call.code || formatOutcome(call.outcome)}</code>
        )}
      </span>
    ) : (
      <span className="muted">ended</span>
    );
  return {
    label: 'Call by call',
    rows: steps,
    keyOf: ({ position }) => String(position),
    columns: [
      countColumn(['place', '#'], ({ position }) => position),
      { id: 'a', header: 'A', cell: (step) => link(step.a, a), raw: toRawCall('A', (step) => step.a) },
      { id: 'b', header: 'B', cell: (step) => link(step.b, b), raw: toRawCall('B', (step) => step.b) },
      {
        id: 'kind',
        header: 'B vs A',
        cell: (step) => (
          <>
            <ComparisonBadge label={describeStep(step)}>
              {step.comparison?.changed.map((name) => (
                <code key={name}>{name}</code>
              ))}
            </ComparisonBadge>{' '}
            {step === divergence ? (
              <span className="badge">diverge here</span>
            ) : step === firstDifference ? (
              <span className="badge">first difference</span>
            ) : null}
          </>
        ),
        raw: [['difference', ({ kind }) => kind]],
      },
    ],
  };
}

function toRawCall(side: 'A' | 'B', of: (step: ComparisonStep) => SessionCallRow | undefined) {
  return [
    [`call${side}`, (step: ComparisonStep) => toCallName(of(step) ?? NO_CALL)],
    [`startedAt${side}`, (step: ComparisonStep) => of(step)?.startedAt ?? null],
    [`outcome${side}`, (step: ComparisonStep) => of(step)?.outcome ?? null],
    [`durationMs${side}`, (step: ComparisonStep) => of(step)?.durationMs ?? null],
  ] as const;
}

const NO_CALL = { tool: '', target: '', method: '' };

function describeStep({ kind, a, b, comparison }: ComparisonStep): ComparisonLabel {
  if (kind === 'arguments') return { tone: 'changed', text: 'different arguments' };
  if (kind === 'answer') return { tone: 'changed', text: 'different result' };
  if (kind === 'call') return { tone: 'changed', text: a && b ? 'different tool' : 'only in one session' };
  const isSure = comparison?.arguments === 'equal' || comparison?.arguments === 'masked';
  return isSure ? { tone: 'same', text: 'same call' } : { tone: 'unknown', text: 'same tool' };
}
