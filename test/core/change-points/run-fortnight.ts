// Runs the change detector over a simulated fortnight and compares it with the faults.

import type { ChangePoint } from '../../../src/core/change-points/change-point.ts';
import { createServerMonitor, stepServer } from '../../../src/core/change-points/server-monitor.ts';
import {
  createFortnight,
  type Fault,
  type FaultKind,
  FIRST_MINUTE,
  type SimulatedMinute,
} from './simulated-fortnight.ts';

export interface FaultResult {
  readonly kind: FaultKind;
  /** Minutes from the beginning of the fault to the end of the minute that showed it; undefined if missed. */
  readonly delay: number | undefined;
  /** The same of the oracle; undefined where there is none. */
  readonly oracleDelay: number | undefined;
  readonly change: ChangePoint | undefined;
}

export interface FortnightResult {
  readonly faults: readonly FaultResult[];
  readonly falseAlarms: readonly ChangePoint[];
}

export function runFortnight(seed: number, hasFaults: boolean): FortnightResult {
  const fortnight = createFortnight(seed, hasFaults);
  const monitor = createServerMonitor(FIRST_MINUTE);
  const oracles = fortnight.faults.map(createOracle);
  const began: ChangePoint[] = [];
  for (const { minute, tools } of fortnight.minutes()) {
    for (const change of stepServer(monitor, minute, tools))
      if (change.detected === minute && change.ended === undefined) began.push(change);
    for (const oracle of oracles) oracle.add({ minute, tools });
  }
  const faults = fortnight.faults.map((fault, at): FaultResult => {
    const change = began.find((one) => shows(one, fault));
    return {
      kind: fault.kind,
      delay: change && change.detected + 1 - fault.from,
      oracleDelay: oracles[at]?.delay(),
      change,
    };
  });
  const falseAlarms = began.filter((one) => !fortnight.faults.some((fault) => isExplained(one, fault)));
  return { faults, falseAlarms };
}

const KIND_OF_FAULT = { slower: 'latency', tail: 'latency', outage: 'calls' } as const;
const toChangeKind = (kind: FaultKind): ChangePoint['kind'] =>
  kind === 'slower' || kind === 'tail' || kind === 'outage' ? KIND_OF_FAULT[kind] : 'errors';

function shows(change: ChangePoint, fault: Fault): boolean {
  return (
    change.kind === toChangeKind(fault.kind) &&
    (change.tool === fault.tool || fault.tool === '') &&
    change.detected >= fault.from &&
    change.detected < fault.to
  );
}

/** A later part of a fault, or its end, is not a false alarm. */
function isExplained(change: ChangePoint, fault: Fault): boolean {
  const isSame = change.kind === toChangeKind(fault.kind);
  const isWhere = fault.tool === '' || change.tool === fault.tool || change.tool === '';
  return isSame && isWhere && change.detected >= fault.from && change.detected < fault.to + 24 * 60;
}

interface Oracle {
  readonly add: (minute: SimulatedMinute) => void;
  readonly delay: () => number | undefined;
}

/** Threshold of the detector for the tests of the simulated server. */
const ORACLE_LOG_THRESHOLD = Math.log(14 * 24 * 60 * 60);

/** A likelihood-ratio test that knows the begin, the place and the size of the fault in each minute. */
function createOracle(fault: Fault): Oracle {
  let [sum, delay] = [0, Number.NaN];
  return {
    add({ minute, tools }) {
      if (fault.code === '' || !Number.isNaN(delay) || minute < fault.from || minute >= fault.to) return;
      const seen = tools.find(({ tool }) => tool === fault.tool);
      if (!seen) return;
      const [usual, share] = [fault.usualShare, fault.shareAt(minute)];
      const hits = seen.failures.reduce((all, one) => all + (one.code === fault.code ? one.calls : 0), 0);
      sum += hits * Math.log(share / usual) + (seen.calls - hits) * Math.log((1 - share) / (1 - usual));
      if (sum >= ORACLE_LOG_THRESHOLD) delay = minute + 1 - fault.from;
    },
    delay: () => (Number.isNaN(delay) ? undefined : delay),
  };
}
