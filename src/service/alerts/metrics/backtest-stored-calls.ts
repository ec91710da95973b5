// Backtests of rules over the stored calls, a day at a time.

import type { AlertBacktestResponse } from '../../../contract/alert-backtest.ts';
import { PIPELINE_METRICS } from '../../../contract/alert-rule-kinds.ts';
import { parseTime, TIME_FORMATS } from '../../../contract/time-range.ts';
import { UserError } from '../../../errors.ts';
import { type AlertRule, isWindowRule, type WindowRule } from '../alert-rule.ts';
import { describeRule } from '../describe-rule.ts';
import { parseRuleFieldsOrThrow } from '../editing/parse-rule-fields.ts';
import { backtestRule, type EvaluationRange, type Firing, type RuleHistory } from './backtest-rule.ts';
import { isOneOf, toGrainMs } from './metric-rule.ts';
import { ACTIVE_MS } from './window-facts.ts';
import { findNeeds } from './window-needs.ts';
import type { WindowSource } from './window-source.ts';

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
/** Calls of one statement that sorts them. */
const SORTED_MS = 6 * HOUR_MS;
const MAX_DAYS = 30;
const USUAL_MS = 28 * DAY_MS;
const MAX_RULES = 50;
const MAX_FIRINGS = 1_000;
const MAX_VALUES = 500;

export interface BacktestRequest {
  readonly rule?: Readonly<Record<string, unknown>> | undefined;
  readonly from: string;
  readonly to: string;
}

export interface BacktestContext {
  readonly windowSource: WindowSource;
  /** The rules in effect. */
  readonly rules: readonly AlertRule[];
  readonly nowMs: number;
}

/** @throws UserError INVALID_BODY */
export async function backtestStoredCalls(
  request: BacktestRequest,
  context: BacktestContext,
): Promise<AlertBacktestResponse> {
  const range = parseRange(request, context.nowMs);
  const rules = request.rule ? [parseRule(request.rule)] : context.rules;
  const evaluated = rules.filter(isWindowRule).slice(0, MAX_RULES);
  const results: AlertBacktestResponse['rules'] = [];
  // One after the other: a backtest must not take the store from the pages.
  for (const rule of evaluated) results.push(await backtestOne(rule, range, context.windowSource));
  return { range, rules: results };
}

function parseRange({ from, to }: BacktestRequest, nowMs: number): EvaluationRange {
  const [fromMs, toMs] = [parseTime(from, nowMs), parseTime(to, nowMs)];
  if (fromMs === undefined || toMs === undefined)
    throw new UserError('INVALID_BODY', `Expected ${TIME_FORMATS}.`, { field: 'from' });
  if (fromMs >= toMs || toMs - fromMs > MAX_DAYS * DAY_MS)
    throw new UserError('INVALID_BODY', `Expected from before to, and at most ${MAX_DAYS} days.`, {
      field: 'from',
    });
  return { fromMs, toMs };
}

function parseRule(given: Readonly<Record<string, unknown>>): WindowRule {
  const rule = parseRuleFieldsOrThrow(given);
  if (isWindowRule(rule)) return rule;
  const message = `Rules of kind ${rule.kind} have no backtest. Expected metric, changed or event.`;
  throw new UserError('INVALID_BODY', message, { field: 'kind' });
}

async function backtestOne(
  rule: WindowRule,
  range: EvaluationRange,
  source: WindowSource,
): Promise<AlertBacktestResponse['rules'][number]> {
  const { id, kind } = rule;
  const threshold = rule.kind === 'metric' ? rule.threshold : null;
  const shared = { id, kind, sentence: describeRule(rule), threshold };
  if (rule.kind === 'metric' && isOneOf(PIPELINE_METRICS, rule.metric)) {
    const problem = 'The past state of the service is not stored.';
    return { ...shared, firings: [], firingCount: 0, values: [], problem };
  }
  try {
    const history = await readHistory(rule, range, source);
    const pause = () => new Promise<void>((resolve) => setImmediate(resolve));
    const { firings, values } = await backtestRule(rule, history, { ...range, pause });
    return {
      ...shared,
      firings: firings.slice(-MAX_FIRINGS).map(toFiringRow),
      firingCount: firings.length,
      values: pickEvenly(values).map(({ atMs, ...value }) => ({ ...value, at: toIso(atMs) })),
      problem: null,
    };
  } catch (error) {
    if (!(error instanceof UserError)) throw error;
    return { ...shared, firings: [], firingCount: 0, values: [], problem: error.message };
  }
}

/** Several statements, because each of them returns a limited number of rows, or sorts calls by session. */
async function readHistory(
  rule: WindowRule,
  { fromMs, toMs }: EvaluationRange,
  source: WindowSource,
): Promise<RuleHistory> {
  const needs = findNeeds([rule]);
  const bucketMs = toGrainMs(rule.windowMs);
  const { server = [], tool = [] } = rule.match;
  const query = { ...needs, bucketMs, match: { server, tool } };
  const leadMs = needs.hasActive ? Math.max(ACTIVE_MS, needs.windowMs) : needs.windowMs;
  const partMs = needs.hasRecovery ? SORTED_MS : DAY_MS;
  const startMs = Math.floor((fromMs - leadMs) / bucketMs) * bucketMs;
  const rows = [];
  for (const part of needs.hasRows ? splitRange({ fromMs: startMs, toMs }, partMs) : [])
    rows.push(await source.readMetricRows({ ...query, ...part }));
  const usual = {
    ...{ ...query, bucketMs: HOUR_MS, hasGuard: false, hasWastedCalls: false, hasResultUse: false },
    hasRecovery: false,
    ...{ fromMs: Math.floor((fromMs - USUAL_MS) / HOUR_MS) * HOUR_MS - HOUR_MS, toMs },
  };
  const events = { range: { fromMs: fromMs - rule.windowMs, toMs }, events: needs.events };
  return {
    rows: rows.flat(),
    hours: needs.hasUsual ? await source.readMetricRows(usual) : [],
    events: needs.events.size > 0 ? await source.readEvents(events) : [],
  };
}

function splitRange({ fromMs, toMs }: EvaluationRange, partMs: number): readonly EvaluationRange[] {
  const count = Math.ceil((toMs - fromMs) / partMs);
  return Array.from({ length: count }, (_, at) => {
    const startMs = fromMs + at * partMs;
    return { fromMs: startMs, toMs: Math.min(startMs + partMs, toMs) };
  });
}

function toFiringRow({ labels, firedMs, resolvedMs, value, sentence }: Firing) {
  const resolvedAt = resolvedMs === null ? null : toIso(resolvedMs);
  return { labels, firedAt: toIso(firedMs), resolvedAt, value, sentence };
}

function pickEvenly<T>(values: readonly T[]): readonly T[] {
  const step = Math.ceil(values.length / MAX_VALUES);
  return values.filter((_, at) => at % step === 0);
}

const toIso = (ms: number): string => new Date(ms).toISOString();
