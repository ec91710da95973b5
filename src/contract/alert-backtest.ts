// Backtests of alert rules: when a rule would have fired, and the metric that it is about.

import { z } from 'zod';
import { ALERT_RULE_KINDS } from './alert-rule-kinds.ts';
import { count, Range, time } from './fields.ts';

/** Body of `POST /api/v1/alerts/backtest`. */
export const AlertBacktestBody = z.strictObject({
  /** A rule as in the rules file; absent for the rules in effect. */
  rule: z.record(z.string(), z.unknown()).optional(),
  /** At most 30 days before `to`. */
  from: z.string().max(64).default('now-7d'),
  to: z.string().max(64).default('now'),
});

const Firing = z.object({
  labels: z.record(z.string(), z.string()),
  firedAt: time,
  /** Null if it still fires at the end of the range. */
  resolvedAt: time.nullable(),
  value: z.number(),
  sentence: z.string(),
});

export const AlertBacktestResponse = z.object({
  range: Range,
  rules: z.array(
    z.object({
      id: z.string(),
      kind: z.enum(ALERT_RULE_KINDS),
      sentence: z.string(),
      /** Null if the rule compares with the usual. */
      threshold: z.number().nullable(),
      /** At most 1,000. */
      firings: z.array(Firing),
      firingCount: count,
      /** The metric of all matching calls together at the end of each window; at most 500, evenly chosen. */
      values: z.array(z.object({ at: time, value: z.number().nullable(), n: count })),
      /** Why the rule could not be evaluated; null if it was. */
      problem: z.string().nullable(),
    }),
  ),
});
export type AlertBacktestResponse = z.infer<typeof AlertBacktestResponse>;
