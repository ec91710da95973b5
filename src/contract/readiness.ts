// Whether the service can answer queries now, as `/readyz` and the heartbeats of `/api/v1/stream` report it.

import { z } from 'zod';

export const READINESS_STATUSES = ['ready', 'starting', 'draining', 'store_unreachable', 'disk_low'] as const;
export type Readiness = (typeof READINESS_STATUSES)[number];

/** `disk_low`: queries are answered, spans are refused. */
export const ReadinessResponse = z.object({ status: z.enum(READINESS_STATUSES) });
