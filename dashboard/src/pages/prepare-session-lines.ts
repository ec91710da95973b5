// The calls of a session as the lines of its timeline: a call, a run of repeats folded into one line, the calls of a run that
// was unfolded, and long pauses. Only tool calls count; whatever else was asked has no number.
import type { SessionCallRow } from '../../../src/contract/answers.ts';
import type { LoopRow } from '../../../src/contract/loops.ts';
import { keyOf } from './prepare-comparison.ts';
import { noteworthyFrom, preparePauses } from './prepare-pauses.ts';
import { prepareRuns, type Run } from './prepare-runs.ts';

export interface CallLine {
  readonly kind: 'single' | 'head' | 'inner';
  readonly key: string;
  /** Number of its first call among the counted calls, from 1; undefined for other requests. */
  readonly at: number | undefined;
  readonly call: SessionCallRow;
  readonly run: Run;
  /** The agent's own time before it, in milliseconds; undefined where a line of its own tells it. */
  readonly pauseMs: number | undefined;
  /** Of a folded run with a long pause in it. */
  readonly longestPauseMs?: number;
  /** The loop that its first call belongs to. */
  readonly loop: LoopRow | undefined;
  /** Whether that loop begins here. */
  readonly beginsLoop: boolean;
}

export interface PauseLine {
  readonly kind: 'pause';
  readonly key: string;
  readonly pauseMs: number;
}

export type Line = CallLine | PauseLine;

/** What every figure counts: a final answer to a tool call. */
export function isCounted({ method, outcome }: SessionCallRow): boolean {
  return method === 'tools/call' && outcome !== 'input_required';
}

interface Options {
  readonly loops: readonly LoopRow[];
  /** Keys of runs that stand open. */
  readonly unfolded: ReadonlySet<string>;
}

/** @param calls those to be shown, in order */
export function prepareLines(calls: readonly SessionCallRow[], { loops, unfolded }: Options): Line[] {
  const pauses = preparePauses(calls);
  const noteworthy = noteworthyFrom(pauses);
  const begun = new Set<string>();
  let index = 0;
  let number = 0;
  return prepareRuns(calls).flatMap((run) => {
    const lines = run.calls.map((call, at): CallLine => {
      const isCall = isCounted(call);
      number += isCall ? 1 : 0;
      const loop = loops.find((one) => isIn(one, call));
      const beginsLoop = loop !== undefined && !begun.has(loop.id);
      if (loop) begun.add(loop.id);
      return {
        kind: run.calls.length > 1 ? 'inner' : 'single',
        key: keyOf(call),
        at: isCall ? number : undefined,
        call,
        run,
        pauseMs: pauses[index + at],
        loop,
        beginsLoop,
      };
    });
    index += run.calls.length;
    const [first, ...rest] = lines;
    if (first?.pauseMs === undefined || first.pauseMs < noteworthy)
      return fold(lines, { unfolded, noteworthy });
    const told: PauseLine = { kind: 'pause', key: `pause ${first.key}`, pauseMs: first.pauseMs };
    return [told, ...fold([{ ...first, pauseMs: undefined }, ...rest], { unfolded, noteworthy })];
  });
}

function isIn(loop: LoopRow, { tool, method, startedAt }: SessionCallRow): boolean {
  const at = Date.parse(startedAt);
  return (
    method === 'tools/call' &&
    (loop.tools.length === 0 || loop.tools.includes(tool)) &&
    at >= Date.parse(loop.onset) &&
    at <= Date.parse(loop.lastAt)
  );
}

interface Folding {
  readonly unfolded: ReadonlySet<string>;
  readonly noteworthy: number;
}

function fold(lines: readonly CallLine[], { unfolded, noteworthy }: Folding): CallLine[] {
  const [first, ...rest] = lines;
  if (!first || rest.length === 0) return [...lines];
  const longest = Math.max(...rest.map(({ pauseMs }) => pauseMs ?? 0));
  const head: CallLine = {
    ...first,
    kind: 'head',
    key: `run ${first.key}`,
    ...(longest >= noteworthy && { longestPauseMs: longest }),
    loop: lines.find(({ loop }) => loop)?.loop,
    beginsLoop: lines.some(({ beginsLoop }) => beginsLoop),
  };
  return unfolded.has(head.key) ? [head, ...lines] : [head];
}

/** The run that has to stand open for a call to be seen. */
export function runKeyOf(calls: readonly SessionCallRow[], key: string): string | undefined {
  const run = prepareRuns(calls).find((one) => one.calls.some((call) => keyOf(call) === key));
  const [first] = run?.calls ?? [];
  return run && first && run.calls.length > 1 ? `run ${keyOf(first)}` : undefined;
}

/** A line that stands for an error, or begins a loop. */
export function isMarked(line: Line, mark: 'error' | 'loop'): boolean {
  if (line.kind === 'pause') return false;
  if (mark === 'loop') return line.beginsLoop && line.kind !== 'inner';
  return line.kind === 'head'
    ? line.run.calls.some(({ fault }) => fault !== 'none')
    : line.call.fault !== 'none';
}
