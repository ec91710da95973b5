// Prepares the rows of a session's timeline: calls, runs of repeats folded into one row, the calls of an
// expanded run, and long pauses. Only tool calls are numbered; other requests are not.

import type { LoopRow } from '../../../../src/contract/loops.ts';
import type { SessionCallRow } from '../../../../src/contract/sessions.ts';
import { toCallKey } from '../../view/call-key.ts';
import { findPauseThreshold, preparePauses } from './prepare-pauses.ts';
import { prepareRuns, type Run } from './prepare-runs.ts';

export interface TimelineCallRow {
  readonly kind: 'single' | 'head' | 'inner';
  readonly key: string;
  /** The number of its first call among the counted calls, from 1; undefined for other requests. */
  readonly position: number | undefined;
  readonly call: SessionCallRow;
  readonly run: Run;
  /** The agent's pause before it, in milliseconds; undefined when the pause has its own row. */
  readonly pauseMs: number | undefined;
  /** The longest pause within a folded run, if long. */
  readonly longestPauseMs?: number;
  readonly loop: LoopRow | undefined;
  readonly isLoopStart: boolean;
}

export interface TimelinePauseRow {
  readonly kind: 'pause';
  readonly key: string;
  readonly pauseMs: number;
}

export type TimelineRow = TimelineCallRow | TimelinePauseRow;

/** Whether stats count the call: a tool call with a final response. */
export function isCountedCall({ method, outcome }: SessionCallRow): boolean {
  return method === 'tools/call' && outcome !== 'input_required';
}

interface TimelineOptions {
  readonly loops: readonly LoopRow[];
  readonly expandedRuns: ReadonlySet<string>;
}

/** @param calls to show, in order */
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
        key: toCallKey(call),
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

/** The run that must be expanded for a call to be visible. */
export function findRunKey(calls: readonly SessionCallRow[], key: string): string | undefined {
  const run = prepareRuns(calls).find((one) => one.calls.some((call) => toCallKey(call) === key));
  const [first] = run?.calls ?? [];
  return run && first && run.calls.length > 1 ? `run ${toCallKey(first)}` : undefined;
}

export function isJumpTarget(line: TimelineRow, target: 'error' | 'loop'): boolean {
  if (line.kind === 'pause') return false;
  if (target === 'loop') return line.isLoopStart && line.kind !== 'inner';
  return line.kind === 'head'
    ? line.run.calls.some(({ fault }) => fault !== 'none')
    : line.call.fault !== 'none';
}
