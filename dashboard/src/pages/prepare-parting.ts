// Two sessions call by call: how far they did the same, where they first differ and where they part for good. What is not
// known of a call is no difference.
import type { SessionCallRow } from '../../../src/contract/answers.ts';
import { nameOf } from './format-session.ts';
import { type Comparison, compareCalls } from './prepare-comparison.ts';

/** `call`: another tool, or the other session has ended. The three others are of the same tool. */
type StepKind = 'same' | 'arguments' | 'answer' | 'call';

export interface Step {
  /** From 1. */
  readonly place: number;
  /** Undefined where that session has ended. */
  readonly a: SessionCallRow | undefined;
  readonly b: SessionCallRow | undefined;
  readonly kind: StepKind;
  /** Of `b` beside `a`; undefined where they are not of the same tool. */
  readonly comparison: Comparison | undefined;
}

export interface Parting {
  readonly steps: readonly Step[];
  /** The first step that is not the same. */
  readonly first: Step | undefined;
  /** The first step at which they did not call the same tool. */
  readonly parted: Step | undefined;
}

/** @param a tool calls of one session, in order */
export function prepareParting(a: readonly SessionCallRow[], b: readonly SessionCallRow[]): Parting {
  const steps = Array.from({ length: Math.max(a.length, b.length) }, (_, at) => toStep(at + 1, a[at], b[at]));
  return {
    steps,
    first: steps.find(({ kind }) => kind !== 'same'),
    parted: steps.find(({ kind }) => kind === 'call'),
  };
}

function toStep(place: number, a: SessionCallRow | undefined, b: SessionCallRow | undefined): Step {
  if (!a || !b || nameOf(a) !== nameOf(b)) return { place, a, b, kind: 'call', comparison: undefined };
  const comparison = compareCalls(a, b);
  return { place, a, b, kind: kindOf(comparison), comparison };
}

function kindOf({ arguments: given, answer }: Comparison): StepKind {
  if (given === 'changed') return 'arguments';
  return answer === 'different' ? 'answer' : 'same';
}

export interface ToolPair {
  readonly tool: string;
  readonly a: ToolCount;
  readonly b: ToolCount;
}

interface ToolCount {
  readonly calls: number;
  readonly errors: number;
}

/** What each of them called how often; the tools that differ most in that come first. */
export function prepareToolPairs(a: readonly SessionCallRow[], b: readonly SessionCallRow[]): ToolPair[] {
  const names = [...new Set([...a, ...b].map(nameOf))];
  return names
    .map((tool) => ({ tool, a: countOf(a, tool), b: countOf(b, tool) }))
    .sort((one, other) => gapOf(other) - gapOf(one) || one.tool.localeCompare(other.tool));
}

function countOf(calls: readonly SessionCallRow[], tool: string): ToolCount {
  const own = calls.filter((call) => nameOf(call) === tool);
  return { calls: own.length, errors: own.filter(({ fault }) => fault !== 'none').length };
}

function gapOf({ a, b }: ToolPair): number {
  return Math.abs(a.calls - b.calls);
}

/** How far they went together, in one to three sentences. */
export function formatParting({ steps, first, parted }: Parting): string {
  if (steps.length === 0) return 'Neither called a tool.';
  if (!first) return `Both made the same ${steps.length === 1 ? 'call' : `${steps.length} calls`}.`;
  const together =
    first.place === 1
      ? ''
      : first.place === 2
        ? 'The first call is the same. '
        : `The first ${first.place - 1} calls are the same. `;
  if (first === parted) return `${together}They part at call ${first.place}: ${tellCalls(first)}.`;
  const what = first.kind === 'arguments' ? `with other arguments${tellNames(first)}` : 'with another answer';
  const then = parted ? ` They part at call ${parted.place}: ${tellCalls(parted)}.` : ' They never part.';
  return `${together}Call ${first.place} is where they differ: both called ${tellCall(first.a)}, ${what}.${then}`;
}

function tellNames({ comparison }: Step): string {
  if (!comparison) return '';
  const names = [...comparison.changed, ...comparison.added, ...comparison.removed];
  return names.length === 0 ? '' : ` (${names.slice(0, 3).join(', ')})`;
}

function tellCalls({ a, b }: Step): string {
  const tell = (call: SessionCallRow | undefined): string =>
    call ? `called ${tellCall(call)}` : 'had ended';
  return `A ${tell(a)}, B ${tell(b)}`;
}

function tellCall(call: SessionCallRow | undefined): string {
  return call ? nameOf(call) : '';
}
