// The verdict on a range with its totals, the current health, and how fresh and complete the data is.

import { z } from 'zod';
import { NAME_KINDS } from '../core/model/name-limits.ts';
import { ALERT_RULE_KINDS } from './alert-rule-kinds.ts';
import { count, milliseconds, Range, rate, time } from './fields.ts';
import { COMPARISONS, CommonQuery } from './query.ts';

export const VERDICTS = [
  'healthy',
  'degraded',
  'failing',
  'looping',
  'quiet',
  'not_enough_data',
  'no_data',
] as const;

const Totals = z.object({
  calls: count,
  sessions: count,
  errors: count,
  errorRate: rate.nullable(),
  p50Ms: milliseconds,
  p95Ms: milliseconds,
  sessionsOverThirty: count,
  neverCalledTools: count,
});

/** Result of the last reconciliation of the rollups with the calls. */
export const RECONCILE_RESULTS = ['equal', 'repaired', 'left', 'failed'] as const;

/** State of the ingest pipeline, from receipt of a call to correct rollups. */
export const PipelineStatus = z.object({
  /** Age of the oldest call that is not yet in the store; 0 when there is none. */
  ingestLagMs: z.number().nonnegative(),
  pendingBatches: count,
  /** Rejected batches and damaged parts of the journal in quarantine. */
  quarantineEntries: count,
  /** Quarantine entries removed to make space for newer ones; absent when there were none. */
  quarantineDropped: count.optional(),
  /** Null until the first reconciliation of this process. */
  lastReconciliation: z
    .object({
      at: time,
      /** `left`: some days could not be checked. `failed`: some days still differ and will be retried. */
      result: z.enum(RECONCILE_RESULTS),
      hours: count,
      /** Hours of rollups (days, for sessions) that differed before the repair. */
      differences: count,
      repairedDays: z.array(z.string()),
    })
    .nullable(),
});
export type PipelineStatus = z.infer<typeof PipelineStatus>;

/** A kind of name that exceeded its limit today; further names are stored as `other`. */
export const NamesBeyondLimit = z.object({
  kind: z.enum(NAME_KINDS),
  /** Maximum number of distinct names per day, for one server and for all servers together. */
  limit: count,
  /** Values stored as `other` since midnight UTC, or since the start if later. */
  values: count,
});
export type NamesBeyondLimit = z.infer<typeof NamesBeyondLimit>;

const CurrentHealth = z.object({
  range: Range,
  verdict: z.enum(VERDICTS),
  /** A clause with its numbers. */
  sentence: z.string(),
  calls: count,
  errors: count,
  /** Whether this verdict determines the response's `verdict`. */
  decides: z.boolean(),
  /** Tools that fail with statistical certainty, most errors first; at most five. */
  tools: z.array(z.object({ server: z.string(), tool: z.string(), calls: count, errors: count })),
  /** Alerts that are firing and not silenced. */
  firingAlerts: count,
  /** The first five of those alerts. */
  alerts: z.array(
    z.object({ rule: z.string(), kind: z.enum(ALERT_RULE_KINDS), server: z.string(), sentence: z.string() }),
  ),
});

export const SummaryResponse = z.object({
  range: Range,
  verdict: z.enum(VERDICTS),
  /** One sentence with its numbers. */
  sentence: z.string(),
  /**
   * The last ten minutes, evaluated per tool and independent of the range, because the verdict of a long
   * range hides the current state. If the range ends now, `verdict` is the worse of the two.
   */
  now: CurrentHealth.optional(),
  totals: Totals,
  /** The same stats over `previousRange`. */
  previous: Totals,
  /**
   * The comparison range; null when no data of that period is retained, in which case `previous` is
   * meaningless.
   */
  previousRange: Range.nullable(),
  /** Calls within loops in the range, and the sessions that are looping now. */
  loops: z.object({ activeSessions: count, wastedCalls: count, wastedShare: rate.nullable() }).optional(),
  freshness: z.object({
    /** Time of the newest call ever stored; null when none was ever received. */
    lastEventAt: time.nullable(),
    serversReporting: count,
    /** Calls accepted but not yet in the store. */
    pendingCalls: count,
    droppedByProducers: count,
    rejectedSpans: count,
    /** Why calls are currently rejected; absent while they are accepted. */
    notTaking: z.string().optional(),
    /** Absent while all names of today are stored as sent. */
    namesBeyondLimits: z.array(NamesBeyondLimit).optional(),
    pipeline: PipelineStatus.optional(),
  }),
});
export type SummaryResponse = z.infer<typeof SummaryResponse>;

export const SummaryQuery = CommonQuery.extend({
  /** The period that `previous` covers; defaults to `prev`. */
  compare: z.enum(COMPARISONS).optional(),
});
export type SummaryQuery = z.infer<typeof SummaryQuery>;
