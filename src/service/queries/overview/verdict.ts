// The verdict line: is the server healthy? Thresholds are constants and the first matching rule wins, so the
// same stats always give the same verdict and sentence. Every rate in the sentence comes with its n.

import type { VERDICTS } from '../../../contract/summary.ts';
import type { ErrorCount } from '../query/proportion.ts';
import type { VersionChange } from './version-change.ts';

export type Verdict = (typeof VERDICTS)[number];

/** With fewer calls a rate is not meaningful. */
const MIN_CALLS = 20;
/** Error rates, as fractions of the calls. */
export const FAILING_RATE = 0.2;
export const DEGRADED_RATE = 0.05;

/** The tool with the most errors, and how it did in the range before. */
interface WorstTool extends ErrorCount {
  readonly label: string;
  readonly before: ErrorCount;
  /** Set if a version caused it: calls of that version and later ones, compared with those before. */
  readonly since?: VersionChange | undefined;
}

export interface HealthStats extends ErrorCount {
  /** Epoch milliseconds of the last stored request; undefined if there is none. */
  readonly lastEventMs: number | undefined;
  readonly worst: WorstTool | undefined;
  readonly activeLoops: number;
  readonly neverCalledTools: number;
  readonly listedTools: number;
}

/**
 * Assesses the health of the filtered servers.
 *
 * @returns the verdict, and one sentence with its numbers
 */
export function assessHealth(stats: HealthStats): { verdict: Verdict; sentence: string } {
  const verdict = chooseVerdict(stats);
  return { verdict, sentence: SENTENCES[verdict](stats) };
}

function chooseVerdict({ lastEventMs, calls, errors, activeLoops }: HealthStats): Verdict {
  if (lastEventMs === undefined) return 'no_data';
  if (calls === 0) return 'quiet';
  if (calls < MIN_CALLS) return 'not_enough_data';
  if (errors / calls >= FAILING_RATE) return 'failing';
  if (errors / calls >= DEGRADED_RATE) return 'degraded';
  return activeLoops > 0 ? 'looping' : 'healthy';
}

const SENTENCES: Readonly<Record<Verdict, (stats: HealthStats) => string>> = {
  no_data: () => 'No data. Nothing has been received yet.',
  quiet: ({ lastEventMs = 0 }) =>
    `Quiet. No tool calls in this range; the last event came at ${formatMinute(lastEventMs)}.`,
  not_enough_data: (stats) =>
    `Not enough data. ${formatCount(stats.calls)} ${stats.calls === 1 ? 'call' : 'calls'}, ` +
    `${formatCount(stats.errors)} failed; at least ${MIN_CALLS} calls needed${describeRest(stats)}.`,
  failing: (stats) => `Failing. ${describeTrouble(stats)}${describeRest(stats)}.`,
  degraded: (stats) => `Degraded. ${describeTrouble(stats)}${describeRest(stats)}.`,
  looping: (stats) =>
    `Looping. ${describeLoopingAgents(stats.activeLoops)} now; ${formatShare(stats)} of all calls fail` +
    `${describeNeverCalled(stats)}.`,
  healthy: (stats) =>
    `Healthy. ${formatCount(stats.calls)} calls, ${formatShare(stats)} failed${describeRest(stats)}.`,
};

function describeTrouble(stats: HealthStats): string {
  const all = `${formatShare(stats)} of all calls fail`;
  const { worst } = stats;
  if (!worst) return all;
  if (worst.calls === stats.calls && !worst.since) return describeWorstTool(worst);
  return `${describeWorstTool(worst)}; ${all}`;
}

function describeWorstTool(worst: WorstTool): string {
  const { since } = worst;
  if (since)
    return `${worst.label} fails ${formatShare(since)} since ${since.version}, ${formatShare(since.before)} before`;
  const before = worst.before.calls < MIN_CALLS ? '' : `, ${formatRate(worst.before)} before`;
  return `${worst.label} fails ${formatShare(worst)}${before}`;
}

function describeRest(stats: HealthStats): string {
  const loops = stats.activeLoops > 0 ? `; ${describeLoopingAgents(stats.activeLoops)} now` : '';
  return loops + describeNeverCalled(stats);
}

function describeLoopingAgents(loops: number): string {
  return loops === 1 ? '1 agent is looping' : `${formatCount(loops)} agents are looping`;
}

function describeNeverCalled({ neverCalledTools, listedTools }: HealthStats): string {
  if (neverCalledTools === 0) return '';
  const tools = listedTools === 1 ? 'tool' : 'tools';
  return `; ${formatCount(neverCalledTools)} of ${formatCount(listedTools)} ${tools} never called`;
}

/** `22 % (31 of 140)`. */
export function formatShare(count: ErrorCount): string {
  return `${formatRate(count)} (${formatCount(count.errors)} of ${formatCount(count.calls)})`;
}

function formatRate({ calls, errors }: ErrorCount): string {
  const percent = (errors / calls) * 100;
  if (percent > 0 && percent < 0.1) return 'under 0.1 %';
  return `${percent < 10 ? Number(percent.toFixed(1)) : Math.round(percent)} %`;
}

/** Groups thousands with a narrow no-break space. */
export function formatCount(count: number): string {
  return String(count).replace(/\B(?=(\d{3})+$)/g, '\u202f');
}

function formatMinute(ms: number): string {
  return `${new Date(ms).toISOString().slice(0, 16).replace('T', ' ')} UTC`;
}
