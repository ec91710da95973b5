// What the fixture's tools did during their calls: every call of search_issues asks a host and a database.

import { CallSpansResponse, DependenciesResponse } from '../../src/contract/child-spans.ts';
import type { TimeRange } from '../../src/contract/time-range.ts';

const TRACED_TOOL = 'search_issues';

export function toCallSpans({ tool }: { readonly tool?: string | undefined }): CallSpansResponse {
  if (tool !== TRACED_TOOL) return { spans: [], isLimited: false };
  const query = { kind: 'db', dependency: 'postgresql:issues', failed: false, errorType: '' };
  return CallSpansResponse.parse({
    isLimited: false,
    spans: [
      {
        ...{
          id: '00000001',
          parentId: '',
          depth: 0,
          name: 'GET',
          kind: 'http',
          dependency: 'api.github.com',
        },
        ...{ offsetMs: 1, durationMs: 9, failed: true, errorType: '503' },
      },
      {
        ...query,
        ...{ id: '00000002', parentId: '', depth: 0, name: 'pg-pool.connect', offsetMs: 10.5, durationMs: 6 },
      },
      {
        ...query,
        ...{
          id: '00000003',
          parentId: '00000002',
          depth: 1,
          name: 'SELECT issues',
          offsetMs: 11,
          durationMs: 5,
        },
      },
    ],
  });
}

export function toDependencies(query: {
  readonly range: TimeRange;
  readonly tool?: unknown;
}): DependenciesResponse {
  const { range, tool } = query;
  const own = { server: 'github', tool: TRACED_TOOL };
  const isTraced = tool === TRACED_TOOL;
  return DependenciesResponse.parse({
    ...{ range, firstAt: isTraced ? new Date(range.fromMs).toISOString() : null },
    ...{ calls: isTraced ? 1_204 : 0, callsMs: isTraced ? 60_200 : 0 },
    dependencies: isTraced
      ? [
          {
            ...{ ...own, dependency: 'api.github.com', kind: 'http', spans: 1_204, errors: 24 },
            ...{ errorRate: 24 / 1_204, p95Ms: 41, totalMs: 36_120, timeShare: 0.6 },
          },
          {
            ...{ ...own, dependency: 'postgresql:issues', kind: 'db', spans: 1_100, errors: 0 },
            ...{ errorRate: 0, p95Ms: 12, totalMs: 9_030, timeShare: 0.15 },
          },
        ]
      : [],
  });
}
