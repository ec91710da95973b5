// Events of `/api/v1/stream`. An event only tells the client to fetch again.

import { z } from 'zod';
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
