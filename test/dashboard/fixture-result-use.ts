// Result use as the service would answer for the fixture's servers: edges, unused fields and arguments from nowhere of the first server.

import type { CallRow } from '../../src/contract/calls.ts';
import { ResultUseResponse } from '../../src/contract/result-use.ts';
import type { TimeRange } from '../../src/contract/time-range.ts';
import { toProportion } from '../../src/service/queries/query/proportion.ts';

const BUCKET_MS = 15 * 60_000;

export function toResultUse(calls: readonly CallRow[], range: TimeRange): ResultUseResponse {
  const tools = calls.filter(({ method }) => method === 'tools/call');
  const [server = ''] = tools.map((call) => call.server);
  const names = [...new Set(tools.filter((call) => call.server === server).map(({ tool }) => tool))].sort();
  const [first = '', second = '', third = ''] = names;
  const resultsOf = (name: string) => tools.filter(({ tool }) => tool === name).length;
  const firstMs = Math.floor(range.fromMs / BUCKET_MS) * BUCKET_MS;
  const isKnown = names.length >= 3;
  return ResultUseResponse.parse({
    range,
    window: { fromMs: range.fromMs, calls: tools.length, isWhole: true },
    used: toProportion(isKnown ? Math.floor(tools.length / 2) : 0, isKnown ? tools.length : 0),
    tools: isKnown
      ? names.map((tool) => ({
          server,
          tool,
          used: toProportion(Math.floor(resultsOf(tool) / 2), resultsOf(tool)),
          usedPages: toProportion(0, tool === first ? 12 : 0),
        }))
      : [],
    edges: isKnown
      ? [
          {
            sourceTool: first,
            sourcePath: 'items[].id',
            tool: second,
            path: 'id',
            calls: 61,
            partialCalls: 0,
            errors: 2,
          },
          {
            sourceTool: first,
            sourcePath: 'items[].path',
            tool: third,
            path: 'target.path',
            calls: 22,
            partialCalls: 9,
            errors: 0,
          },
          {
            sourceTool: second,
            sourcePath: 'parent.id',
            tool: second,
            path: 'id',
            calls: 8,
            partialCalls: 0,
            errors: 0,
          },
        ].map((edge) => ({ server, ...edge }))
      : [],
    unusedFields: isKnown
      ? [{ server, tool: first, path: 'items[].thumbnail_url', results: 140, sessions: 31 }]
      : [],
    unsourcedArguments: isKnown
      ? [
          {
            ...{ server, tool: second, path: 'id' },
            unsourced: toProportion(18, 79),
            errorRate: toProportion(13, 18),
            sourcedErrorRate: toProportion(2, 61),
          },
        ]
      : [],
    bucketSeconds: BUCKET_MS / 1_000,
    points: Array.from({ length: Math.ceil((range.toMs - firstMs) / BUCKET_MS) }, (_, at) => ({
      atMs: firstMs + at * BUCKET_MS,
      results: isKnown ? 20 : 0,
      used: isKnown ? 8 + (at % 5) : 0,
    })),
  });
}
