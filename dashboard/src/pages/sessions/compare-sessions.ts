// Compares two sessions call by call: how long they are the same, where they first differ, and where they
// diverge. Unknown values do not count as differences.
import type { SessionCallRow } from '../../../../src/contract/sessions.ts';
import { type CallDifference, compareCalls } from '../session/compare-calls.ts';
import { toCallName } from '../session/describe-session.ts';

/** `call`: different tools, or the other session has ended. The others are of the same tool. */
type ComparisonStepKind = 'same' | 'arguments' | 'answer' | 'call';

export interface ComparisonStep {
  /** From 1. */
  readonly position: number;
  /** Undefined after the end of that session. */
  readonly a: SessionCallRow | undefined;
  readonly b: SessionCallRow | undefined;
  readonly kind: ComparisonStepKind;
  /** `b` compared with `a`; undefined for different tools. */
  readonly comparison: CallDifference | undefined;
}

export interface SessionComparison {
  readonly steps: readonly ComparisonStep[];
  readonly firstDifference: ComparisonStep | undefined;
  /** The first step at which the sessions did not call the same tool. */
  readonly divergence: ComparisonStep | undefined;
}

/** @param a tool calls of one session, in order */
export function compareSessions(
  a: readonly SessionCallRow[],
  b: readonly SessionCallRow[],
): SessionComparison {
  const steps = Array.from({ length: Math.max(a.length, b.length) }, (_, at) =>
    toComparisonStep(at + 1, a[at], b[at]),
  );
  return {
    steps,
    firstDifference: steps.find(({ kind }) => kind !== 'same'),
    divergence: steps.find(({ kind }) => kind === 'call'),
  };
}

function toComparisonStep(
  position: number,
  a: SessionCallRow | undefined,
  b: SessionCallRow | undefined,
): ComparisonStep {
  if (!a || !b || toCallName(a) !== toCallName(b))
    return { position, a, b, kind: 'call', comparison: undefined };
  const comparison = compareCalls(a, b);
  return { position, a, b, kind: toStepKind(comparison), comparison };
}

function toStepKind({ arguments: given, result }: CallDifference): ComparisonStepKind {
  if (given === 'different') return 'arguments';
  return result === 'different' ? 'answer' : 'same';
}

export interface ToolCallCounts {
  readonly tool: string;
  readonly a: ToolCount;
  readonly b: ToolCount;
}

interface ToolCount {
  readonly calls: number;
  readonly errors: number;
}

/** The number of calls by tool in each session; the largest differences first. */
export function countCallsByTool(
  a: readonly SessionCallRow[],
  b: readonly SessionCallRow[],
): ToolCallCounts[] {
  const names = [...new Set([...a, ...b].map(toCallName))];
  return names
    .map((tool) => ({ tool, a: countCalls(a, tool), b: countCalls(b, tool) }))
    .sort(
      (one, other) => toCountDifference(other) - toCountDifference(one) || one.tool.localeCompare(other.tool),
    );
}

function countCalls(calls: readonly SessionCallRow[], tool: string): ToolCount {
  const own = calls.filter((call) => toCallName(call) === tool);
  return { calls: own.length, errors: own.filter(({ fault }) => fault !== 'none').length };
}

function toCountDifference({ a, b }: ToolCallCounts): number {
  return Math.abs(a.calls - b.calls);
}

export function describeSessionComparison({ steps, firstDifference, divergence }: SessionComparison): string {
  if (steps.length === 0) return 'Neither session called a tool.';
  if (!firstDifference) return `Both made the same ${steps.length === 1 ? 'call' : `${steps.length} calls`}.`;
  const together =
    firstDifference.position === 1
      ? ''
      : firstDifference.position === 2
        ? 'The first call is the same. '
        : `The first ${firstDifference.position - 1} calls are the same. `;
  if (firstDifference === divergence)
    return `${together}They diverge at call ${firstDifference.position}: ${describeCallPair(firstDifference)}.`;
  const what =
    firstDifference.kind === 'arguments'
      ? `with different arguments${describeArgumentNames(firstDifference)}`
      : 'with different results';
  const then = divergence
    ? ` They diverge at call ${divergence.position}: ${describeCallPair(divergence)}.`
    : ' They never diverge.';
  return `${together}They differ at call ${firstDifference.position}: both called ${describeCall(firstDifference.a)}, ${what}.${then}`;
}

function describeArgumentNames({ comparison }: ComparisonStep): string {
  if (!comparison) return '';
  const names = [...comparison.changed, ...comparison.added, ...comparison.removed];
  return names.length === 0 ? '' : ` (${names.slice(0, 3).join(', ')})`;
}

function describeCallPair({ a, b }: ComparisonStep): string {
  const describe = (call: SessionCallRow | undefined): string =>
    call ? `called ${describeCall(call)}` : 'had ended';
  return `A ${describe(a)}, B ${describe(b)}`;
}

function describeCall(call: SessionCallRow | undefined): string {
  return call ? toCallName(call) : '';
}
