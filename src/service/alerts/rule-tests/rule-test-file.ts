// The file of `toolscope alerts test`: series as they were written, and which alerts are expected when. Its fields
// are those of `promtool test rules`.

import { z } from 'zod';
import { METRIC_LABELS } from '../../../contract/alert-rule-kinds.ts';
import { isCallerCode } from '../../../core/classification/caller-error-codes.ts';
import type { MetricRow } from '../../../core/model/metric-row.ts';
import { UserError } from '../../../errors.ts';
import type { Infer } from '../alert-records.ts';
import { duration } from '../rule-fields.ts';
import { parseRulesDocument } from '../rules-document.ts';
import { parseSeriesName, parseSeriesValues } from './series-notation.ts';

const ExpectedAlert = z.strictObject({
  /** Labels that the alert must have; it may have others. */
  exp_labels: z.record(z.string(), z.string()).default({}),
});

const RuleTest = z.strictObject({
  name: z.string().default(''),
  /** Length of the time that each value covers. */
  interval: duration.default(60_000),
  input_series: z.array(z.strictObject({ series: z.string(), values: z.string() })),
  alert_rule_test: z.array(
    z.strictObject({
      eval_time: duration,
      alertname: z.string(),
      exp_alerts: z.array(ExpectedAlert).default([]),
    }),
  ),
});
export type RuleTest = Infer<typeof RuleTest>;

const RuleTestFile = z.strictObject({
  /** Paths of rules files, relative to this file. */
  rule_files: z.array(z.string()).min(1),
  tests: z.array(RuleTest),
});
export type RuleTestFile = Infer<typeof RuleTestFile>;

/** @throws UserError INVALID_SETTING, with line and column */
export function parseRuleTestFile(path: string, text: string): RuleTestFile {
  const { value, locate } = parseRulesDocument(path, text);
  const parsed = RuleTestFile.safeParse(value);
  if (parsed.success) return parsed.data;
  const [issue] = parsed.error.issues;
  const field = issue?.path.join('.') ?? '';
  const message = `${path}${locate(issue?.path ?? [])}: ${field === '' ? 'the file' : `field "${field}"`}: ${issue?.message ?? ''}.`;
  throw new UserError('INVALID_SETTING', message, { field: field || 'tests' });
}

const SERIES_LABELS: readonly string[] = [...METRIC_LABELS, 'fault', 'outcome', 'duration_ms'];
const SERIES_NAMES: readonly string[] = [
  ...['calls', 'would_block', 'wasted_calls'],
  ...['results', 'used_results', 'followed_errors', 'recovered_errors'],
];

/** @throws UserError INVALID_SETTING */
export function toRows({ interval, input_series }: RuleTest, startMs: number): readonly MetricRow[] {
  const rows = input_series.flatMap(({ series, values }) => {
    const { name, labels } = parseSeriesName(series);
    rejectUnknown('series', name, SERIES_NAMES);
    for (const label of Object.keys(labels)) rejectUnknown('label', label, SERIES_LABELS);
    return parseSeriesValues(values).flatMap((calls, at) =>
      calls === null || calls === 0 ? [] : [toRow(name, labels, { calls, startMs: startMs + at * interval })],
    );
  });
  return rows.sort((one, other) => one.startMs - other.startMs);
}

function rejectUnknown(what: string, name: string, known: readonly string[]): void {
  if (known.includes(name)) return;
  const message = `The ${what} ${JSON.stringify(name)} is unknown. Expected one of ${known.join(', ')}.`;
  throw new UserError('INVALID_SETTING', message, { field: 'input_series' });
}

function toRow(
  name: string,
  labels: Readonly<Record<string, string>>,
  { calls, startMs }: { readonly calls: number; readonly startMs: number },
): MetricRow {
  const { server = '', environment = '', tool = '', client = '', version = '', code = '' } = labels;
  const durationMs = Number(labels['duration_ms'] ?? Number.NaN);
  return {
    ...{ startMs, server, environment, tool, client, version, code },
    fault: toFault(labels['fault'], code),
    calls: name === 'calls' ? calls : 0,
    blocked: labels['outcome'] === 'blocked' ? calls : 0,
    wouldBlock: name === 'would_block' ? calls : 0,
    wrongCalls: name === 'calls' && isWrong(labels['fault'], code) ? calls : 0,
    results: name === 'results' ? calls : 0,
    usedResults: name === 'used_results' ? calls : 0,
    followedErrors: name === 'followed_errors' ? calls : 0,
    recoveredErrors: name === 'recovered_errors' ? calls : 0,
    wastedCalls: name === 'wasted_calls' ? calls : 0,
    durations: Number.isFinite(durationMs) ? new Map([[durationMs * 1_000, calls]]) : new Map(),
  };
}

/** As for the correct call rate, without codes that a server uses in another sense. */
function isWrong(fault: string | undefined, code: string): boolean {
  return fault === 'client' || isCallerCode(code);
}

/** A code without a fault is an error of the server. */
function toFault(fault: string | undefined, code: string): MetricRow['fault'] {
  if (fault === 'client' || fault === 'server' || fault === 'none') return fault;
  return code === '' ? 'none' : 'server';
}
