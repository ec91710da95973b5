// A session as one lane per called tool or target. Identical calls in a lane share a shade, so that a stuck agent is
// one solid block and a cycle is an alternating pattern.
import type { Fault } from '../../../../src/core/model/outcome.ts';
import { type ComparableCall, isSameCall } from './compare-calls.ts';
import { toCallName } from './describe-session.ts';
import { toTimeSpan, type WaterfallBar } from './prepare-waterfall.ts';

interface LaneMark {
  readonly fault: Fault;
  /** Whether it repeats the previous call in this lane. */
  readonly repeats: boolean;
}

interface LaneBlock extends LaneMark {
  /** Position in the session, from 0. */
  readonly at: number;
  /** Number of calls in the block: adjacent identical calls with the same outcome. */
  readonly length: number;
}

interface TimedLaneBlock extends LaneMark, WaterfallBar {
  readonly key: string;
}

interface Lane<Block> {
  readonly name: string;
  readonly calls: number;
  readonly blocks: readonly Block[];
}

/** Maximum number of lanes; all further tools share the last one. */
const MAX_LANES = 8;
export const OTHER_LANE = 'others';

export function prepareLanes(calls: readonly ComparableCall[]): Lane<LaneBlock>[] {
  const names = [...new Set(calls.map(toCallName))];
  const own = names.length > MAX_LANES ? new Set(names.slice(0, MAX_LANES - 1)) : new Set(names);
  const lanes = new Map<string, { call: ComparableCall; at: number }[]>();
  calls.forEach((call, at) => {
    const name = own.has(toCallName(call)) ? toCallName(call) : OTHER_LANE;
    lanes.set(name, [...(lanes.get(name) ?? []), { call, at }]);
  });
  return [...lanes].map(([name, positioned]) => ({
    name,
    calls: positioned.length,
    blocks: toLaneBlocks(positioned),
  }));
}

/** The same lanes in real time: when each call started and how long it took. Gaps are pauses of the agent. */
export function prepareTimedLanes(calls: readonly ComparableCall[]): Lane<TimedLaneBlock>[] {
  const { startMs, lengthMs } = toTimeSpan(calls);
  return prepareLanes(calls).map((lane) => ({
    ...lane,
    blocks: lane.blocks.flatMap(({ at, length, fault, repeats }) =>
      calls.slice(at, at + length).map((call) => ({
        key: call.spanId,
        from: (Date.parse(call.startedAt) - startMs) / lengthMs,
        width: call.durationMs / lengthMs,
        fault,
        repeats,
      })),
    ),
  }));
}

function toLaneBlocks(
  positioned: readonly { readonly call: ComparableCall; readonly at: number }[],
): LaneBlock[] {
  const blocks: LaneBlock[] = [];
  positioned.forEach(({ call, at }, index) => {
    const before = positioned[index - 1]?.call;
    const repeats = before !== undefined && isSameCall(call, before);
    const last = blocks.at(-1);
    const joins =
      last && last.repeats === repeats && last.fault === call.fault && last.at + last.length === at;
    if (joins) blocks[blocks.length - 1] = { ...last, length: last.length + 1 };
    else blocks.push({ at, length: 1, fault: call.fault, repeats });
  });
  return blocks;
}
