// When a rule would have fired: the same evaluation as that of the service, at the end of every bucket of a
// range of the past.

import type { ActiveSeries, MetricRow } from '../../../core/model/metric-row.ts';
import { groupBy } from '../../../core/values/group-by.ts';
import type { Alert, AlertEvent, AlertSet, Labels } from '../alert-records.ts';
import type { WindowRule } from '../alert-rule.ts';
import { evaluateAlerts } from '../evaluate-alerts.ts';
import { evaluateWindowRules } from './evaluate-window-rules.ts';
import { measure } from './measure.ts';
import { BASE_LABELS, toGrainMs } from './metric-rule.ts';
import { ACTIVE_MS, type RuleEventRecord, type WindowFacts } from './window-facts.ts';

/** What a rule is evaluated over. */
export interface RuleHistory {
  /** Of the grain of the rule, oldest first, from a day before the first end. */
  readonly rows: readonly MetricRow[];
  /** Whole hours, from four weeks before the first end. */
  readonly hours: readonly MetricRow[];
  readonly events: readonly RuleEventRecord[];
}

/** The first and the last instant at which the rule is evaluated. */
export interface EvaluationRange {
  readonly fromMs: number;
  readonly toMs: number;
}

/** One time that the rule fired. */
export interface Firing {
  readonly labels: Labels;
  readonly firedMs: number;
  /** Null if it still fires at the end of the range. */
  readonly resolvedMs: number | null;
  readonly value: number;
  readonly sentence: string;
}

export interface RuleBacktest {
  readonly firings: readonly Firing[];
  /** Alerts after the last evaluation. */
  readonly alerts: readonly Alert[];
  /** The metric of all matching calls together, at the end of each bucket. */
  readonly values: readonly { readonly atMs: number; readonly value: number | null; readonly n: number }[];
}

/** Evaluations between two pauses, in which other work runs: about 20 ms. */
const EVALUATIONS_PER_TURN = 50;

/** @param pause resolves after other work had its turn; tests and the command line need none */
export async function backtestRule(
  rule: WindowRule,
  history: RuleHistory,
  { fromMs, toMs, pause }: EvaluationRange & { readonly pause?: () => Promise<void> },
): Promise<RuleBacktest> {
  const steps = listEvaluations(rule, { fromMs, toMs });
  const factsAt = createFactsReader(rule, history);
  const values: RuleBacktest['values'][number][] = [];
  const events: AlertEvent[] = [];
  let alertSet: AlertSet = { alerts: [], groups: [] };
  for (const [at, endMs] of steps.entries()) {
    if (pause && at % EVALUATIONS_PER_TURN === EVALUATIONS_PER_TURN - 1) await pause();
    const facts = factsAt(endMs);
    const windows = evaluateWindowRules([rule], facts);
    const next = evaluateAlerts(alertSet, { rules: [rule], windows, ...NO_FACTS }, endMs);
    alertSet = next.alertSet;
    events.push(...next.events);
    values.push({ atMs: endMs, ...measureTotal(rule, facts) });
  }
  return { firings: toFirings(events), alerts: alertSet.alerts, values };
}

const NO_FACTS = { loops: [], storms: [], sessions: new Map(), silences: [] };

/** The ends of the buckets of a rule within a range, both inclusive. */
export function listEvaluations(
  { windowMs }: Pick<WindowRule, 'windowMs'>,
  { fromMs, toMs }: EvaluationRange,
): readonly number[] {
  const grainMs = toGrainMs(windowMs);
  const first = Math.ceil(fromMs / grainMs) * grainMs;
  const count = Math.max(0, Math.floor((toMs - first) / grainMs) + 1);
  return Array.from({ length: count }, (_, at) => first + at * grainMs);
}

function createFactsReader(rule: WindowRule, { rows, hours, events }: RuleHistory) {
  const series = groupBy(rows, (row) => JSON.stringify(BASE_LABELS.map((label) => row[label])));
  const usual = groupBy(hours, ({ startMs }) => startMs);
  // A changed rule also looks at a window twice as long.
  const reachMs = rule.windowMs * 2;
  return (endMs: number): WindowFacts => ({
    endMs,
    rows: sliceRows(rows, endMs - reachMs, endMs),
    active: [...series.values()].flatMap((own) => findActive(own, endMs) ?? []),
    usual,
    events,
    pipeline: undefined,
    isIncomplete: () => false,
  });
}

function findActive(own: readonly MetricRow[], endMs: number): ActiveSeries | undefined {
  const first = own[findIndexFrom(own, endMs - ACTIVE_MS)];
  if (!first || first.startMs >= endMs) return undefined;
  const { server, environment, tool, client, version, startMs } = first;
  return { server, environment, tool, client, version, firstMs: startMs };
}

function sliceRows(rows: readonly MetricRow[], fromMs: number, toMs: number): readonly MetricRow[] {
  return rows.slice(findIndexFrom(rows, fromMs), findIndexFrom(rows, toMs));
}

/** @returns the index of the first row that starts at `ms` or later */
function findIndexFrom(rows: readonly MetricRow[], ms: number): number {
  let low = 0;
  let high = rows.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((rows[middle]?.startMs ?? 0) < ms) low = middle + 1;
    else high = middle;
  }
  return low;
}

function measureTotal(
  rule: WindowRule,
  { rows, endMs }: WindowFacts,
): { readonly value: number | null; readonly n: number } {
  if (rule.kind === 'event') return { value: null, n: 0 };
  const own = sliceRows(rows, endMs - rule.windowMs, endMs);
  const [total] = measure({ metric: rule.metric, match: rule.match, per: [] }, own);
  return { value: total?.value ?? (rule.metric === 'calls' ? 0 : null), n: total?.n ?? 0 };
}

/** Pairs each change to firing with the following one to another state. */
function toFirings(events: readonly AlertEvent[]): readonly Firing[] {
  return events
    .filter(({ to }) => to === 'firing')
    .map(({ fingerprint, labels, atMs, value, sentence }) => {
      const end = events.find(
        (event) => event.fingerprint === fingerprint && event.from === 'firing' && event.atMs > atMs,
      );
      return { labels, firedMs: atMs, resolvedMs: end?.atMs ?? null, value, sentence };
    });
}
