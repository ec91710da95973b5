// Events of `/api/v1/stream`. An event only tells the client to fetch again, except `loop`, which describes one loop and
// is sent only to clients that ask for loops.

import { z } from 'zod';
import { FINDING_KINDS } from '../core/model/loop-kinds.ts';
import { LOOP_SEVERITIES, LOOP_STATES } from '../core/model/loop-record.ts';
import { count } from './fields.ts';
import { READINESS_STATUSES } from './readiness.ts';

export const STREAM_EVENTS = ['calls', 'loops', 'alerts', 'heartbeat'] as const;
export const StreamEvent = z.object({
  kind: z.enum(STREAM_EVENTS),
  atMs: z.number(),
  /** Calls stored since the last event of this kind; 0 for other kinds. */
  calls: count,
  /** Absent while the service is ready; otherwise a page shows old data. */
  readiness: z.enum(READINESS_STATUSES).optional(),
});
export type StreamEvent = z.infer<typeof StreamEvent>;

/** With any of them, the stream has the events `loop` and `heartbeat` only. */
export const StreamQuery = z.object({
  events: z.literal('loop').optional(),
  server: z.string().min(1).max(256).optional(),
  session: z.string().min(1).max(512).optional(),
});
export type StreamQuery = z.infer<typeof StreamQuery>;

/** A loop that began, became more severe, or ended. */
export const LoopEvent = z.object({
  kind: z.literal('loop'),
  atMs: z.number(),
  id: z.string(),
  server: z.string(),
  environment: z.string(),
  sessionId: z.string(),
  client: z.string(),
  tools: z.array(z.string()),
  loopKind: z.enum(FINDING_KINDS),
  severity: z.enum(LOOP_SEVERITIES),
  /** `over`: the session moved on. */
  state: z.enum(LOOP_STATES),
  repeats: count,
  wastedCalls: count,
  sentence: z.string(),
});
export type LoopEvent = z.infer<typeof LoopEvent>;
