// The list of changes of level in a range, each with its size and a sentence. One statement over a small table.

import type {
  ChangePointRow,
  ChangePointsQuery,
  ChangePointsResponse,
} from '../../../contract/change-points.ts';
import type { ResolvedQuery } from '../../../contract/queries.ts';
import { formatIso } from '../../../core/values/date-time64.ts';
import { alignRange } from '../query/grain.ts';
import { toProportion } from '../query/proportion.ts';
import type { QueryContext } from '../query/query-context.ts';
import { readChangePoints, type StoredChange } from './change-point-repository.ts';
import { describeChangePoint } from './describe-change-point.ts';

export async function getChangePoints(
  query: ResolvedQuery<ChangePointsQuery>,
  context: QueryContext,
): Promise<ChangePointsResponse> {
  const range = alignRange(query.range, context);
  const { range: _, ...filters } = query;
  const stored = await readChangePoints(range, filters, context.store);
  return { range, changePoints: stored.map(toChangePointRow) };
}

function toChangePointRow(change: StoredChange): ChangePointRow {
  const { id, server, environment, tool, kind, direction, code, state, causes, calls, hits, usual } = change;
  const minutes = Math.max(1, change.minutes);
  return {
    ...{ id, server, environment, tool, kind, direction, code, state, calls },
    causes: [...causes],
    isWorse: isWorse(change),
    onsetAt: msToIso(change.onsetMs),
    detectedAt: msToIso(change.detectedMs),
    endedAt: change.endedMs === 0 ? null : msToIso(change.endedMs),
    sentence: describeChangePoint(change),
    share:
      kind === 'calls'
        ? null
        : {
            before: Math.min(1, usual / Math.max(1, calls)),
            after: toProportion(Math.min(hits, calls), calls),
          },
    p95:
      kind === 'latency'
        ? { beforeMs: change.p95BeforeUs / 1_000, afterMs: change.p95AfterUs / 1_000 }
        : null,
    callsPerMinute: kind === 'calls' ? { usual: usual / minutes, seen: hits / minutes } : null,
  };
}

/** More calls than usual are neither better nor worse. */
export const isWorse = ({ kind, direction }: Pick<StoredChange, 'kind' | 'direction'>): boolean =>
  kind === 'calls' ? direction === 'fell' : direction === 'rose';

const msToIso = (ms: number): string => formatIso(ms * 1_000);
