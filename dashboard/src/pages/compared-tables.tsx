// The tables of two sessions: calls by tool, and call by call with what differs at each place.
import { Link } from 'wouter';
import type { SessionCallRow } from '../../../src/contract/answers.ts';
import { Compared } from '../components/compared.tsx';
import { countColumn, textColumn } from '../components/figure-columns.tsx';
import type { FigureTable } from '../components/figure-table.ts';
import { FaultMark, formatOutcome } from '../components/outcome.tsx';
import type { Told } from '../format/told.ts';
import { sessionPath } from '../paths.ts';
import type { ComparedProps } from './compared-panels.tsx';
import { nameOf } from './format-session.ts';
import { keyOf } from './prepare-comparison.ts';
import type { Parting, Step, ToolPair } from './prepare-parting.ts';

export function toToolPairsTable(rows: readonly ToolPair[]): FigureTable<ToolPair> {
  return {
    label: 'Calls by tool',
    rows,
    keyOf: ({ tool }) => tool,
    columns: [
      textColumn(['tool', 'Tool'], ({ tool }) => tool),
      countColumn(['callsA', 'A'], ({ a }) => a.calls),
      { ...countColumn<ToolPair>(['errorsA', 'A failed'], ({ a }) => a.errors), priority: 2 },
      countColumn(['callsB', 'B'], ({ b }) => b.calls),
      { ...countColumn<ToolPair>(['errorsB', 'B failed'], ({ b }) => b.errors), priority: 2 },
    ],
  };
}

export function toStepsTable(
  { steps, first, parted }: Parting,
  { a, b, view }: ComparedProps,
): FigureTable<Step> {
  const link = (call: SessionCallRow | undefined, { session }: ComparedProps['a']) =>
    call ? (
      <span className="outcome">
        <FaultMark fault={call.fault} />
        <Link href={sessionPath(view, { id: session.sessionId, of: session.server, call: keyOf(call) })}>
          {nameOf(call)}
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
    keyOf: ({ place }) => String(place),
    columns: [
      countColumn(['place', '#'], ({ place }) => place),
      { id: 'a', header: 'A', cell: (step) => link(step.a, a), raw: rawCall('A', (step) => step.a) },
      { id: 'b', header: 'B', cell: (step) => link(step.b, b), raw: rawCall('B', (step) => step.b) },
      {
        id: 'kind',
        header: 'B beside A',
        cell: (step) => (
          <>
            <Compared told={tellStep(step)}>
              {step.comparison?.changed.map((name) => (
                <code key={name}>{name}</code>
              ))}
            </Compared>{' '}
            {step === parted ? (
              <span className="badge">they part here</span>
            ) : step === first ? (
              <span className="badge">first difference</span>
            ) : null}
          </>
        ),
        raw: [['difference', ({ kind }) => kind]],
      },
    ],
  };
}

function rawCall(side: 'A' | 'B', of: (step: Step) => SessionCallRow | undefined) {
  return [
    [`call${side}`, (step: Step) => nameOf(of(step) ?? NO_CALL)],
    [`startedAt${side}`, (step: Step) => of(step)?.startedAt ?? null],
    [`outcome${side}`, (step: Step) => of(step)?.outcome ?? null],
    [`durationMs${side}`, (step: Step) => of(step)?.durationMs ?? null],
  ] as const;
}

const NO_CALL = { tool: '', target: '', method: '' };

function tellStep({ kind, a, b, comparison }: Step): Told {
  if (kind === 'arguments') return { tone: 'changed', words: 'other arguments' };
  if (kind === 'answer') return { tone: 'changed', words: 'another answer' };
  if (kind === 'call') return { tone: 'changed', words: a && b ? 'another tool' : 'only one of them' };
  const isSure = comparison?.arguments === 'same' || comparison?.arguments === 'masked';
  return isSure ? { tone: 'same', words: 'the same call' } : { tone: 'unknown', words: 'the same tool' };
}
