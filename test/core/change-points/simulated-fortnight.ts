// Two weeks of a server's traffic with the rhythm of day and week, sessions, retry bursts and known faults. The
// same seed gives the same fortnight.

import { toLatencyBin } from '../../../src/core/change-points/baseline.ts';
import type { MinuteFailure, ToolMinute } from '../../../src/core/change-points/change-point.ts';
import { createMulberry32 } from '../../support/random.ts';

export const FORTNIGHT_MINUTES = 14 * 24 * 60;
/** A Monday, as epoch minute. */
export const FIRST_MINUTE = Date.UTC(2026, 5, 1) / 60_000;
const DAY = 24 * 60;

interface SimulatedTool {
  readonly name: string;
  /** Mean calls per minute. */
  readonly rate: number;
  /** Usual shares of failed calls by code. */
  readonly codes: Readonly<Record<string, number>>;
  readonly medianMs: number;
}

export const TOOLS: readonly SimulatedTool[] = [
  { name: 'search', rate: 20, codes: { '-32602': 0.03, TIMEOUT: 0.02 }, medianMs: 120 },
  { name: 'list', rate: 20, codes: { '-32602': 0.07, HTTP_404: 0.03 }, medianMs: 40 },
  { name: 'read', rate: 24, codes: { HTTP_404: 0.03 }, medianMs: 25 },
  { name: 'write', rate: 4, codes: { '-32602': 0.02, CONFLICT: 0.02 }, medianMs: 300 },
  { name: 'export', rate: 2, codes: { TIMEOUT: 0.04 }, medianMs: 2_000 },
  { name: 'archive', rate: 0.2, codes: { '-32602': 0.02 }, medianMs: 200 },
  { name: 'restore', rate: 0.15, codes: { HTTP_404: 0.03 }, medianMs: 400 },
  { name: 'reindex', rate: 0.02, codes: { TIMEOUT: 0.05 }, medianMs: 5_000 },
];

export const FAULT_KINDS = [
  'step',
  'rise',
  'ramp',
  'spike',
  'drift',
  'sparse',
  'slower',
  'tail',
  'outage',
] as const;
export type FaultKind = (typeof FAULT_KINDS)[number];

export interface Fault {
  readonly kind: FaultKind;
  readonly tool: string;
  /** The code whose share changes; empty for latency and calls. */
  readonly code: string;
  /** Epoch minutes; the first one is partly changed. */
  readonly from: number;
  readonly to: number;
  /** Share of calls with the code in a minute of the fault. */
  readonly shareAt: (minute: number) => number;
  readonly usualShare: number;
}

/** Rhythm of day and week; 1 on average of a weekday. */
function toRhythm(minute: number): number {
  const [day, ofDay] = [Math.floor(minute / DAY), (minute % DAY) / DAY];
  // 1 June 2026 is a Monday, and day 0 of the epoch a Thursday.
  const weekday = (day + 3) % 7;
  const factor = weekday >= 5 ? 0.35 : 1;
  return factor * (1 - 0.75 * Math.cos(2 * Math.PI * (ofDay - 0.08)));
}

/** One fault of each kind, on different days and at a random time. */
export function createFaults(random: () => number): Fault[] {
  const at = (day: number, tool: string): number => {
    // In an hour in which the tool has about its mean number of calls.
    const start = FIRST_MINUTE + day * DAY;
    const minutes = Array.from({ length: DAY }, (_, minute) => start + minute);
    const fitting = minutes.filter((minute) => Math.abs(toRhythm(minute) - 1.05) < 0.15);
    const usable = tool === '' || fitting.length === 0 ? minutes.slice(9 * 60, 15 * 60) : fitting;
    return usable[Math.floor(random() * usable.length)] ?? start;
  };
  const fault = (
    kind: FaultKind,
    [day, minutes]: readonly [number, number],
    [tool, code]: readonly [string, string],
    toShare: (elapsed: number, usual: number) => number,
  ): Fault => {
    const from = at(day, tool);
    const usualShare = TOOLS.find(({ name }) => name === tool)?.codes[code] ?? 0;
    return {
      ...{ kind, tool, code, from, to: from + minutes, usualShare },
      shareAt: (minute) => toShare(minute - from, usualShare),
    };
  };
  return [
    // 5 % of all calls fail before, 30 % during the step.
    fault('step', [1 + Math.floor(random() * 3), 180], ['search', 'TIMEOUT'], () => 0.27),
    // 10 % before, 30 % during the rise.
    fault('rise', [2 + Math.floor(random() * 3), 240], ['list', '-32602'], () => 0.27),
    fault('ramp', [4, 240], ['write', 'CONFLICT'], (elapsed, usual) => usual + Math.min(0.4, elapsed / 300)),
    fault('spike', [7, 12], ['search', '-32602'], () => 0.6),
    fault(
      'drift',
      [8, 4 * DAY],
      ['read', 'HTTP_404'],
      (elapsed, usual) => usual + (0.12 * elapsed) / (3 * DAY),
    ),
    fault('sparse', [3, 3 * DAY], ['archive', '-32602'], () => 0.5),
    fault('slower', [9, 180], ['list', ''], () => 0),
    fault('tail', [10, 300], ['search', ''], () => 0),
    fault('outage', [11, 120], ['', ''], () => 0),
  ];
}

export interface SimulatedMinute {
  readonly minute: number;
  readonly tools: readonly ToolMinute[];
}

export interface Fortnight {
  readonly faults: readonly Fault[];
  readonly minutes: () => Generator<SimulatedMinute>;
}

/** @param hasFaults without faults, every alarm is a false one */
export function createFortnight(seed: number, hasFaults: boolean): Fortnight {
  const faults = hasFaults ? createFaults(createMulberry32(seed * 7_919 + 1)) : [];
  return { faults, minutes: () => generateMinutes(createMulberry32(seed), faults) };
}

function* generateMinutes(random: () => number, faults: readonly Fault[]): Generator<SimulatedMinute> {
  const bursts = createBursts(random);
  for (let at = 0; at < FORTNIGHT_MINUTES; at += 1) {
    const minute = FIRST_MINUTE + at;
    const active = faults.filter(({ from, to }) => minute >= from && minute < to);
    const isOut = active.some(({ kind }) => kind === 'outage');
    // Minutes in which everything is a little slower come at random.
    const load = 1 + 0.05 * (random() - 0.5);
    const tools = isOut
      ? []
      : TOOLS.flatMap((tool) => generateTool(tool, { minute, random, load, active, bursts }));
    yield { minute, tools };
  }
}

interface Burst {
  readonly tool: string;
  readonly code: string;
  readonly from: number;
  readonly to: number;
}

/** One session repeats a failing call some times a minute: not a change of the tool. */
function createBursts(random: () => number): Burst[] {
  return Array.from({ length: 12 }, () => {
    const tool = TOOLS[Math.floor(random() * TOOLS.length)] ?? TOOLS[0];
    const from = FIRST_MINUTE + Math.floor(random() * FORTNIGHT_MINUTES);
    const codes = Object.keys(tool?.codes ?? {});
    return {
      ...{ tool: tool?.name ?? '', code: codes[Math.floor(random() * codes.length)] ?? '' },
      ...{ from, to: from + 2 + Math.floor(random() * 15) },
    };
  });
}

interface ToolContext {
  readonly minute: number;
  readonly random: () => number;
  readonly load: number;
  readonly active: readonly Fault[];
  readonly bursts: readonly Burst[];
}

const BURST_CALLS = 20;
const CAPPED_BURST_CALLS = 2;

function generateTool(tool: SimulatedTool, context: ToolContext): ToolMinute[] {
  const { minute, random, bursts } = context;
  const calls = drawPoisson(tool.rate * toRhythm(minute), random);
  const own = bursts.filter(
    ({ tool: name, from, to }) => name === tool.name && minute >= from && minute < to,
  );
  if (calls === 0 && own.length === 0) return [];
  const failures = drawFailures(tool, calls, context);
  for (const burst of own)
    failures.push({ code: burst.code, session: `burst-${burst.from}`, calls: BURST_CALLS, others: 0 });
  return [
    {
      tool: tool.name,
      calls: calls + own.length * BURST_CALLS,
      cappedCalls: calls + own.length * CAPPED_BURST_CALLS,
      failures,
      latencies: drawLatencies(tool, calls, context),
    },
  ];
}

function drawFailures(
  tool: SimulatedTool,
  calls: number,
  { minute, random, active }: ToolContext,
): MinuteFailure[] {
  const shares = Object.entries(tool.codes).map(([code, usual]): [string, number] => {
    const fault = active.find((one) => one.tool === tool.name && one.code === code);
    return [code, fault ? fault.shareAt(minute) : usual];
  });
  // Sessions last for some minutes, about five at a time for a tool with 20 calls a minute.
  const concurrent = Math.max(1, Math.round(tool.rate / 4));
  const perSession = Array.from({ length: concurrent }, () => 0);
  const failed = new Map<string, number>();
  for (let call = 0; call < calls; call += 1) {
    const session = Math.floor(random() * concurrent);
    perSession[session] = (perSession[session] ?? 0) + 1;
    let left = random();
    const hit = shares.find(([, share]) => {
      left -= share;
      return left < 0;
    });
    if (hit) failed.set(`${session} ${hit[0]}`, (failed.get(`${session} ${hit[0]}`) ?? 0) + 1);
  }
  return [...failed].map(([key, count]) => {
    const [session = '', code = ''] = key.split(' ');
    const others = (perSession[Number(session)] ?? 0) - count;
    return { code, session: `${Math.floor(minute / 8)}-${session}`, calls: count, others };
  });
}

function drawLatencies(
  tool: SimulatedTool,
  calls: number,
  { random, load, active }: ToolContext,
): [number, number][] {
  const fault = active.find(
    (one) => one.tool === tool.name && (one.kind === 'slower' || one.kind === 'tail'),
  );
  const bins = new Map<number, number>();
  for (let call = 0; call < calls; call += 1) {
    const isSlow = fault && (fault.kind === 'slower' || random() < 0.2);
    const factor = isSlow ? (fault.kind === 'slower' ? 2 : 8) : 1;
    const normal = Math.sqrt(-2 * Math.log(1 - random())) * Math.cos(2 * Math.PI * random());
    const bin = toLatencyBin(tool.medianMs * 1_000 * load * factor * Math.exp(0.5 * normal));
    bins.set(bin, (bins.get(bin) ?? 0) + 1);
  }
  return [...bins];
}

function drawPoisson(mean: number, random: () => number): number {
  const limit = Math.exp(-mean);
  let [product, count] = [random(), 0];
  while (product > limit) {
    product *= random();
    count += 1;
  }
  return count;
}
