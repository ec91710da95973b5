// The calls of a session as the lines of its timeline: a call, a run of repeats folded into one line, the calls of a run that
// was unfolded, and long pauses. Only tool calls count; whatever else was asked has no number.

import type { LoopRow } from '../../../../src/contract/loops.ts';
import type { SessionCallRow } from '../../../../src/contract/responses.ts';
import { toSessionCallKey } from './compare-calls.ts';
import { findPauseThreshold, preparePauses } from './prepare-pauses.ts';
import { prepareRuns, type Run } from './prepare-runs.ts';

export interface TimelineCallRow {
  readonly kind: 'single' | 'head' | 'inner';
  readonly key: string;
  /** Number of its first call among the counted calls, from 1; undefined for other requests. */
  readonly position: number | undefined;
  readonly call: SessionCallRow;
  readonly run: Run;
  /** The agent's own time before it, in milliseconds; undefined where a line of its own tells it. */
  readonly pauseMs: number | undefined;
  /** Of a folded run with a long pause in it. */
  readonly longestPauseMs?: number;
  /** The loop that its first call belongs to. */
  readonly loop: LoopRow | undefined;
  /** Whether that loop begins here. */
  readonly isLoopStart: boolean;
}

export interface TimelinePauseRow {
  readonly kind: 'pause';
  readonly key: string;
  readonly pauseMs: number;
}

export type TimelineRow = TimelineCallRow | TimelinePauseRow;

/** What every figure counts: a final answer to a tool call. */
export function isCountedCall({ method, outcome }: SessionCallRow): boolean {
  return method === 'tools/call' && outcome !== 'input_required';
}

interface TimelineOptions {
  readonly loops: readonly LoopRow[];
  /** Keys of runs that stand open. */
  readonly expandedRuns: ReadonlySet<string>;
}

/** @param calls those to be shown, in order */
export function prepareTimelineRows(
  calls: readonly SessionCallRow[],
  { loops, expandedRuns }: TimelineOptions,
): TimelineRow[] {
  const pauses = preparePauses(calls);
  const pauseThresholdMs = findPauseThreshold(pauses);
  const startedLoops = new Set<string>();
  let index = 0;
  let number = 0;
  return prepareRuns(calls).flatMap((run) => {
    const rows = run.calls.map((call, at): TimelineCallRow => {
      const isCall = isCountedCall(call);
      number += isCall ? 1 : 0;
      const loop = loops.find((one) => isInLoop(one, call));
      const beginsLoop = loop !== undefined && !startedLoops.has(loop.id);
      if (loop) startedLoops.add(loop.id);
      return {
        kind: run.calls.length > 1 ? 'inner' : 'single',
        key: toSessionCallKey(call),
        position: isCall ? number : undefined,
        call,
        run,
        pauseMs: pauses[index + at],
        loop,
        isLoopStart: beginsLoop,
      };
    });
    index += run.calls.length;
    const [first, ...rest] = rows;
    if (first?.pauseMs === undefined || first.pauseMs < pauseThresholdMs)
      return collapseRun(rows, { expandedRuns, pauseThresholdMs });
    const pauseRow: TimelinePauseRow = { kind: 'pause', key: `pause ${first.key}`, pauseMs: first.pauseMs };
    return [
      pauseRow,
      ...collapseRun([{ ...first, pauseMs: undefined }, ...rest], { expandedRuns, pauseThresholdMs }),
    ];
  });
}

function isInLoop(loop: LoopRow, { tool, method, startedAt }: SessionCallRow): boolean {
  const at = Date.parse(startedAt);
  return (
    method === 'tools/call' &&
    (loop.tools.length === 0 || loop.tools.includes(tool)) &&
    at >= Date.parse(loop.onset) &&
    at <= Date.parse(loop.lastAt)
  );
}

interface CollapseOptions {
  readonly expandedRuns: ReadonlySet<string>;
  readonly pauseThresholdMs: number;
}

function collapseRun(
  rows: readonly TimelineCallRow[],
  { expandedRuns, pauseThresholdMs }: CollapseOptions,
): TimelineCallRow[] {
  const [first, ...rest] = rows;
  if (!first || rest.length === 0) return [...rows];
  const longest = Math.max(...rest.map(({ pauseMs }) => pauseMs ?? 0));
  const head: TimelineCallRow = {
    ...first,
    kind: 'head',
    key: `run ${first.key}`,
    ...(longest >= pauseThresholdMs && { longestPauseMs: longest }),
    loop: rows.find(({ loop }) => loop)?.loop,
    isLoopStart: rows.some(({ isLoopStart }) => isLoopStart),
  };
  return expandedRuns.has(head.key) ? [head, ...rows] : [head];
}

/** The run that has to stand open for a call to be seen. */
export function findRunKey(calls: readonly SessionCallRow[], key: string): string | undefined {
  const run = prepareRuns(calls).find((one) => one.calls.some((call) => toSessionCallKey(call) === key));
  const [first] = run?.calls ?? [];
  return run && first && run.calls.length > 1 ? `run ${toSessionCallKey(first)}` : undefined;
}

/** A line that stands for an error, or begins a loop. */
export function isJumpTarget(line: TimelineRow, target: 'error' | 'loop'): boolean {
  if (line.kind === 'pause') return false;
  if (target === 'loop') return line.isLoopStart && line.kind !== 'inner';
  return line.kind === 'head'
    ? line.run.calls.some(({ fault }) => fault !== 'none')
    : line.call.fault !== 'none';
}
