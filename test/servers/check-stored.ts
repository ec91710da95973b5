// Whether what is stored of a session is what happened in it.
import type { CallRow } from '../../src/contract/calls.ts';
import { CLIENT } from './connection.ts';
import { describeFailure, hasFailed, type Step } from './script.ts';

export interface Expectation {
  /** Not known where the server is stateless. */
  readonly hasSession: boolean;
}

export function checkStored(
  steps: readonly Step[],
  rows: readonly CallRow[],
  { hasSession }: Expectation,
): readonly string[] {
  const expected = ['initialize', ...steps.map(({ method, tool }) => `${method} ${tool}`.trim())];
  const stored = rows.map(({ method, tool }) => `${method} ${tool}`.trim());
  if (stored.toSorted().join() !== expected.toSorted().join())
    return [`stored: ${stored.join(', ') || 'nothing'}`];
  const sessions = new Set(rows.map(({ sessionId }) => sessionId));
  const strangers = rows.filter(
    ({ client, clientVersion }) => client !== CLIENT.name || clientVersion !== CLIENT.version,
  );
  return [
    ...(sessions.size === 1 && sessions.has('') !== hasSession ? [] : [`${sessions.size} sessions`]),
    ...(hasSession && strangers.length > 0 ? [`${strangers.length} requests without the client`] : []),
    ...pairUp(steps, rows).flatMap(([step, row]) => checkOutcome(step, row)),
  ];
}

function checkOutcome(step: Step, row: CallRow): string[] {
  const isFailure = row.outcome !== 'ok';
  const what = `${step.what} ${step.tool}`;
  if (isFailure !== hasFailed(step)) return [`${what}: stored as ${row.outcome}`];
  if (isFailure && step.blame === 'client' && row.fault !== 'client')
    return [`${what}: the server is blamed (${row.outcome} ${row.code}) for: ${describeFailure(step)}`];
  return [];
}

/** Each answer with its row: both are in the order of the requests, which went one after the other. */
function pairUp(steps: readonly Step[], rows: readonly CallRow[]): readonly (readonly [Step, CallRow])[] {
  const calls = rows.filter(({ method }) => method !== 'initialize');
  return steps.flatMap((step, at) => {
    const row = calls[at];
    return row === undefined ? [] : [[step, row] as const];
  });
}

/** Each failure in a line, for a person to read whom it is blamed on. */
export function describeRows(steps: readonly Step[], rows: readonly CallRow[]): string {
  return pairUp(steps, rows)
    .filter(([step]) => hasFailed(step))
    .map(([step, { outcome, fault, code }]) => {
      const verdict = `${outcome} ${code}, ${fault}`;
      return `  ${step.what} ${step.method} ${step.tool}: ${verdict} | ${describeFailure(step)}\n`;
    })
    .join('');
}
