// Measures a metric over rows: one measurement per combination of the labels that a rule has in `per`.

import type { MetricLabel } from '../../../contract/alert-rule-kinds.ts';
import type { MetricRow } from '../../../core/model/metric-row.ts';
import type { Infer, Labels } from '../alert-records.ts';
import { getOrAdd } from './get-or-add.ts';
import { BASE_LABELS, type BaseLabel, isRate, type MetricMatch } from './metric-rule.ts';

/** What is measured, of which calls, and by which labels. */
export interface MetricScope {
  readonly metric: string;
  readonly per: readonly MetricLabel[];
  readonly match: Partial<Infer<typeof MetricMatch>>;
}

export interface Measurement {
  readonly labels: Labels;
  /** Null if no call tells it. */
  readonly value: number | null;
  /** Calls that `value` is based on. */
  readonly n: number;
  /** For a rate, how many of the n calls count. */
  readonly hits: number;
  readonly tools: readonly string[];
  /** Number of calls by duration in microseconds; empty unless a latency is measured. */
  readonly durations: ReadonlyMap<number, number>;
}

/** Calls of one combination of labels. */
interface Tally {
  readonly labels: Labels;
  /** The calls of all codes, of which those of one code are a share; for recovery, the errors of the code. */
  readonly base: { calls: number };
  hits: number;
  readonly tools: Set<string>;
  readonly durations: Map<number, number>;
}

/** Not part of any name. */
const SEPARATOR = '\u0000';

/** What calls the rows of a metric add up to. */
const HITS: Readonly<Record<string, (row: MetricRow) => number>> = {
  error_rate: ({ fault, calls }) => (fault === 'none' ? 0 : calls),
  client_error_rate: ({ fault, calls }) => (fault === 'client' ? calls : 0),
  server_error_rate: ({ fault, calls }) => (fault === 'server' ? calls : 0),
  blocked_rate: ({ blocked }) => blocked,
  would_block_rate: ({ wouldBlock }) => wouldBlock,
  correct_call_rate: ({ calls, wrongCalls }) => calls - wrongCalls,
  recovery_rate: ({ recoveredErrors }) => recoveredErrors,
  result_use_rate: ({ usedResults }) => usedResults,
  calls: ({ calls }) => calls,
  wasted_calls: ({ wastedCalls }) => wastedCalls,
};
/** The tools of a rate of what is good are those with something else. */
const CONCERNED: typeof HITS = {
  correct_call_rate: ({ wrongCalls }) => wrongCalls,
  recovery_rate: ({ followedErrors, recoveredErrors }) => followedErrors - recoveredErrors,
};
/** What a rate is a share of, if not of calls. */
const BASES: Readonly<Record<string, (row: MetricRow) => number>> = {
  recovery_rate: ({ followedErrors }) => followedErrors,
  result_use_rate: ({ results }) => results,
};
const QUANTILES: Readonly<Record<string, number>> = { p50: 0.5, p95: 0.95, p99: 0.99 };

/** The quantile of a latency metric; undefined for other metrics. */
export function toQuantile(metric: string): number | undefined {
  return QUANTILES[metric];
}

export function matchesRow(match: MetricScope['match'], row: Pick<MetricRow, BaseLabel>): boolean {
  return BASE_LABELS.every((label) => {
    const allowed = match[label] ?? [];
    return allowed.length === 0 || allowed.includes(row[label]);
  });
}

export function measure(scope: MetricScope, rows: readonly MetricRow[]): readonly Measurement[] {
  const tallies = new Map<string, Tally>();
  const bases = new Map<string, { calls: number }>();
  const isOfErrors = scope.metric === 'recovery_rate';
  const baseLabels = scope.per.filter((label) => isOfErrors || label !== 'code');
  const toBase = BASES[scope.metric] ?? ((row: MetricRow) => row.calls);
  for (const row of rows) {
    if (!matchesRow(scope.match, row) || (isOfErrors && !matchesCode(scope, row))) continue;
    const baseKey = baseLabels.map((label) => row[label]).join(SEPARATOR);
    const base = getOrAdd(bases, baseKey, () => ({ calls: 0 }));
    base.calls += toBase(row);
    if (scope.per.includes('code') && row.code === '') continue;
    const key = scope.per.includes('code') ? `${baseKey}${SEPARATOR}${row.code}` : baseKey;
    const tally = getOrAdd(tallies, key, () => createTally(scope, row, base));
    if (matchesCode(scope, row)) addRow(tally, scope.metric, row);
  }
  return [...tallies.values()].map((tally) => toMeasurement(tally, scope.metric));
}

function matchesCode({ match: { code = [] } }: MetricScope, row: MetricRow): boolean {
  return code.length === 0 || code.includes(row.code);
}

function createTally({ per }: MetricScope, row: MetricRow, base: { calls: number }): Tally {
  const labels = Object.fromEntries(per.map((label) => [label, row[label]]));
  return { labels, base, hits: 0, tools: new Set(), durations: new Map() };
}

function addRow(tally: Tally, metric: string, row: MetricRow): void {
  const hits = HITS[metric]?.(row) ?? 0;
  tally.hits += hits;
  const concerned = CONCERNED[metric]?.(row) ?? hits;
  if (row.tool !== '' && (concerned > 0 || toQuantile(metric) !== undefined)) tally.tools.add(row.tool);
  if (toQuantile(metric) === undefined) return;
  for (const [us, calls] of row.durations) tally.durations.set(us, (tally.durations.get(us) ?? 0) + calls);
}

function toMeasurement({ labels, base, hits, tools, durations }: Tally, metric: string): Measurement {
  const shared = { labels, hits, tools: [...tools].sort().slice(0, 20), durations };
  const quantile = toQuantile(metric);
  if (quantile !== undefined) {
    const n = [...durations.values()].reduce((total, calls) => total + calls, 0);
    return { ...shared, n, value: n === 0 ? null : findQuantile(durations, quantile) / 1_000 };
  }
  if (!isRate(metric)) return { ...shared, n: base.calls, value: hits };
  return { ...shared, n: base.calls, value: base.calls === 0 ? null : hits / base.calls };
}

/** Nearest rank. */
export function findQuantile(durations: ReadonlyMap<number, number>, quantile: number): number {
  const sorted = [...durations].sort(([one], [other]) => one - other);
  const total = sorted.reduce((all, [, calls]) => all + calls, 0);
  let left = Math.max(1, Math.ceil(total * quantile));
  for (const [us, calls] of sorted) {
    left -= calls;
    if (left <= 0) return us;
  }
  return 0;
}

/** Number of calls that took longer. */
export function countSlower(durations: ReadonlyMap<number, number>, us: number): number {
  return [...durations].reduce((total, [own, calls]) => (own > us ? total + calls : total), 0);
}
