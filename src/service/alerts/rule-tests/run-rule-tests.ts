// Runs unit tests of rules with the evaluation that the service and the backtest use.

import type { Labels } from '../alert-records.ts';
import { type AlertRule, isWindowRule, type WindowRule } from '../alert-rule.ts';
import { backtestRule } from '../metrics/backtest-rule.ts';
import { type RuleTest, toRows } from './rule-test-file.ts';

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
/** A Monday. Rules against the usual need four weeks of series before the time that is tested. */
const START_MS = Date.UTC(2026, 0, 5);

/** @returns one line per expectation that does not hold */
export async function runRuleTest(test: RuleTest, rules: readonly AlertRule[]): Promise<readonly string[]> {
  const rows = toRows(test, START_MS);
  const failures = test.alert_rule_test.map(async ({ eval_time, alertname, exp_alerts }) => {
    const rule = rules.find(({ id }) => id === alertname);
    const where = `${test.name || 'test'}, ${alertname} at ${eval_time / 60_000}m`;
    if (!rule) return `${where}: there is no rule of this id.`;
    if (!isWindowRule(rule)) return `${where}: rules of kind ${rule.kind} cannot be tested with series.`;
    const fired = await findFiring(rule, { rows, untilMs: START_MS + eval_time });
    return describeDifference(where, {
      expected: exp_alerts.map(({ exp_labels }) => exp_labels),
      found: fired,
    });
  });
  return (await Promise.all(failures)).filter((failure) => failure !== undefined);
}

async function findFiring(
  rule: WindowRule,
  { rows, untilMs }: { readonly rows: ReturnType<typeof toRows>; readonly untilMs: number },
): Promise<readonly Labels[]> {
  // Alerts before the last day cannot matter: no rule holds its alerts longer than its windows and delays.
  const heldMs = rule.windowMs * 2 + rule.forMs + rule.keepFiringForMs + DAY_MS;
  const fromMs = Math.max(START_MS, untilMs - heldMs);
  const hours = rows.map((row) => ({ ...row, startMs: Math.floor(row.startMs / HOUR_MS) * HOUR_MS }));
  const { alerts } = await backtestRule(rule, { rows, hours, events: [] }, { fromMs, toMs: untilMs });
  return alerts.filter(({ state }) => state === 'firing').map(({ labels }) => labels);
}

interface Comparison {
  readonly expected: readonly Labels[];
  readonly found: readonly Labels[];
}

function describeDifference(where: string, { expected, found }: Comparison): string | undefined {
  const missing = expected.filter((labels) => !found.some((own) => hasLabels(own, labels)));
  const surplus = found.filter((own) => !expected.some((labels) => hasLabels(own, labels)));
  if (missing.length + surplus.length === 0) return undefined;
  const parts = [
    ...missing.map((labels) => `expected ${format(labels)}`),
    ...surplus.map((labels) => `got ${format(labels)}`),
  ];
  return `${where}: ${parts.join('; ')}${found.length === 0 ? '; got no alert' : ''}.`;
}

function hasLabels(own: Labels, labels: Labels): boolean {
  return Object.entries(labels).every(([name, value]) => own[name] === value);
}

function format(labels: Labels): string {
  return `{${Object.entries(labels)
    .map(([name, value]) => `${name}=${JSON.stringify(value)}`)
    .join(', ')}}`;
}
