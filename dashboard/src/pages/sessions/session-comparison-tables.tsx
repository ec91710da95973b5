// The tables of a session comparison: calls by tool, and call by call with the differences at each step.
import { Link } from 'wouter';
import type { SessionCallRow } from '../../../../src/contract/sessions.ts';
import { ComparisonBadge } from '../../components/comparison-badge.tsx';
import type { ExportTable } from '../../components/data-table.tsx';
import { FaultIcon, formatOutcome } from '../../components/outcome-badge.tsx';
import { countColumn, textColumn } from '../../components/table-columns.tsx';
import type { ComparisonLabel } from '../../format/describe-comparison.ts';
import { sessionPath } from '../../paths.ts';
import { toSessionCallKey } from '../session/compare-calls.ts';
import { toCallName } from '../session/describe-session.ts';
import type { ComparisonStep, SessionComparison, ToolCallCounts } from './compare-sessions.ts';
import type { SessionComparisonProps } from './session-comparison-props.ts';

export function toToolPairsTable(rows: readonly ToolCallCounts[]): ExportTable<ToolCallCounts> {
  return {
    label: 'Calls by tool',
    rows,
    keyOf: ({ tool }) => tool,
    columns: [
      textColumn(['tool', 'Tool'], ({ tool }) => tool),
      countColumn(['callsA', 'A'], ({ a }) => a.calls),
      { ...countColumn<ToolCallCounts>(['errorsA', 'A failed'], ({ a }) => a.errors), priority: 2 },
      countColumn(['callsB', 'B'], ({ b }) => b.calls),
      { ...countColumn<ToolCallCounts>(['errorsB', 'B failed'], ({ b }) => b.errors), priority: 2 },
    ],
  };
}

export function toStepsTable(
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
            call: toSessionCallKey(call),
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
        header: 'B beside A',
        cell: (step) => (
          <>
            <ComparisonBadge label={describeStep(step)}>
              {step.comparison?.changed.map((name) => (
                <code key={name}>{name}</code>
              ))}
            </ComparisonBadge>{' '}
            {step === divergence ? (
              <span className="badge">they part here</span>
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
  if (kind === 'arguments') return { tone: 'changed', text: 'other arguments' };
  if (kind === 'answer') return { tone: 'changed', text: 'another answer' };
  if (kind === 'call') return { tone: 'changed', text: a && b ? 'another tool' : 'only one of them' };
  const isSure = comparison?.arguments === 'equal' || comparison?.arguments === 'masked';
  return isSure ? { tone: 'same', text: 'the same call' } : { tone: 'unknown', text: 'the same tool' };
}
