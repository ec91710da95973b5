// Plans: all calls that carry one plan id, on whatever server; and one plan with its steps.

import { z } from 'zod';
import { FAULTS, OUTCOMES } from '../core/model/outcome.ts';
import { SESSION_SOURCES } from '../core/model/session.ts';
import { CallRow } from './calls.ts';
import { count, Proportion, Range, time } from './fields.ts';
import { CommonQuery, pageCursor, pageLimit } from './query.ts';

export const PlansQuery = CommonQuery.extend({ limit: pageLimit, cursor: pageCursor });
export type PlansQuery = z.infer<typeof PlansQuery>;

/**
 * `loop`: the newest call is part of a loop. `active`: it ended less than ten minutes ago. Of the others, `ok`: the
 * newest call succeeded; `error`: it failed and nothing followed; `other`: it was cancelled, abandoned, blocked, or
 * turned into a task.
 */
export const PLAN_ENDINGS = ['ok', 'error', 'loop', 'active', 'other'] as const;
export type PlanEnding = (typeof PLAN_ENDINGS)[number];

/** Counts cover the whole plan, as far as its calls are retained. */
export const PlanRow = z.object({
  planId: z.string(),
  /** At most twenty, by name. */
  servers: z.array(z.string()),
  /** At most twenty, by name. */
  clients: z.array(z.string()),
  sessions: count,
  calls: count,
  errors: count,
  /** Number of different tools that were called; each is a step. */
  steps: count,
  /** Calls of a tool with exactly the arguments of an earlier call of it in the plan. */
  repeatedCalls: count,
  startedAt: time,
  endedAt: time,
  lastServer: z.string(),
  lastTool: z.string(),
  lastOutcome: z.enum(OUTCOMES),
  lastFault: z.enum(FAULTS),
  loops: count,
  ending: z.enum(PLAN_ENDINGS),
});
export type PlanRow = z.infer<typeof PlanRow>;

export const PlansResponse = z.object({
  range: Range,
  /** Plans with a tool call in the range, last called first. */
  plans: z.array(PlanRow),
  total: count,
  nextCursor: z.string().nullable(),
});
export type PlansResponse = z.infer<typeof PlansResponse>;

export const PlanQuery = z.strictObject({ limit: pageLimit, cursor: pageCursor });
export type PlanQuery = z.infer<typeof PlanQuery>;

/** A tool that the plan called. */
export const PlanStep = z.object({
  server: z.string(),
  tool: z.string(),
  calls: count,
  errors: count,
  /** Calls with exactly the arguments of an earlier call of the step. */
  repeatedCalls: count,
  firstAt: time,
  /** Of all its calls together, in milliseconds. */
  durationMs: z.number().nonnegative(),
  lastOutcome: z.enum(OUTCOMES),
  lastFault: z.enum(FAULTS),
});
export type PlanStep = z.infer<typeof PlanStep>;

/** A step that most like plans make, and this plan did not. */
export const MissingStep = z.object({
  server: z.string(),
  tool: z.string(),
  /** `not_reached`: like plans make it after the last step of this plan. */
  kind: z.enum(['skipped', 'not_reached']),
  /** The step of this plan that it follows in most like plans; null where it comes first. */
  after: z.object({ server: z.string(), tool: z.string() }).nullable(),
  /** Of the like plans, those that make it. */
  plans: Proportion,
});
export type MissingStep = z.infer<typeof MissingStep>;

export const PlanResponse = z.object({
  plan: PlanRow,
  /** In the order of their first calls; at most two hundred. */
  steps: z.array(PlanStep),
  /** The same plan compared with plans that make all of its steps in the same order. */
  comparison: z.object({
    /** Of the newest two hundred plans with all of its steps. */
    likePlans: count,
    /** Below it, nothing is called missing. */
    minLikePlans: count,
    /** A step is missing if at least this share of the like plans makes it. */
    minShare: z.number(),
    missing: z.array(MissingStep),
  }),
  /** At most fifty, by first call. */
  sessions: z.array(
    z.object({
      server: z.string(),
      source: z.enum(SESSION_SOURCES),
      sessionId: z.string(),
      client: z.string(),
      calls: count,
    }),
  ),
  loops: z.array(
    z.object({
      id: z.string(),
      server: z.string(),
      sessionId: z.string(),
      kind: z.string(),
      sentence: z.string(),
      onset: time,
    }),
  ),
  /** A page of its calls, oldest first. */
  calls: z.array(CallRow),
  nextCursor: z.string().nullable(),
});
export type PlanResponse = z.infer<typeof PlanResponse>;
