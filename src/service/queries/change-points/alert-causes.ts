// The likely causes of an alert, found as those of a change of level that began with it.

import type { LikelyCause } from '../../../core/change-points/rank-causes.ts';
import type { QueryContext } from '../query/query-context.ts';
import { readChangeEvidence } from './cause-evidence.ts';

interface AlertSubject {
  readonly kind: 'errors' | 'latency';
  readonly server: string;
  /** Undefined: of all environments. */
  readonly environment: string | undefined;
  /** Empty: of all tools. */
  readonly tool: string;
  /** Empty: with any code. */
  readonly code: string;
  readonly sinceMs: number;
  /** For latency: from when on a call is slow. */
  readonly slowFromMs: number | undefined;
}

/**
 * @returns the most likely first
 * @throws UpstreamError as `Store` does
 */
export async function readAlertCauses(
  { kind, server, environment, tool, code, sinceMs, slowFromMs }: AlertSubject,
  { store, nowMs }: Pick<QueryContext, 'store' | 'nowMs'>,
): Promise<readonly LikelyCause[]> {
  const change = {
    ...({ kind, tool, code, direction: 'rose', state: 'open', ended: undefined } as const),
    ...{ onset: Math.floor(sinceMs / 60_000), detected: Math.floor(nowMs / 60_000) },
    ...{ calls: 0, hits: 0, usual: 0 },
    slowFromUs: slowFromMs === undefined ? undefined : slowFromMs * 1_000,
  };
  const { causes } = await readChangeEvidence(change, { server, environment }, store);
  return causes;
}
