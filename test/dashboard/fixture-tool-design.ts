// What the fixture says of tool design: one tool with a history (search_issues: three versions, two ways to fail, a
// confusion), the others as their calls tell; advice that can be dismissed; what changed. Every answer is checked
// against the contract, and the figures that tests name are literals here.

import { type AdviceResponse, AdviceResponse as AdviceSchema } from '../../src/contract/advice.ts';
import type { CallRow } from '../../src/contract/calls.ts';
import { ChangesResponse } from '../../src/contract/changes.ts';
import { type FilterValue, passesFilter } from '../../src/contract/filter-value.ts';
import type { TimeRange } from '../../src/contract/time-range.ts';
import { ToolColumnsResponse, ToolResponse } from '../../src/contract/tool.ts';
import { UserError } from '../../src/errors.ts';
import {
  ADVICE,
  CHANGES,
  DEFINITIONS,
  SEARCH_ARGUMENTS,
  SEARCH_VERSIONS,
} from './fixture-tool-design-rows.ts';

const HOUR = 3_600_000;

interface ToolDesignQuery {
  readonly range: TimeRange;
  readonly server?: FilterValue | undefined;
  readonly tool?: FilterValue | undefined;
  readonly client?: FilterValue | undefined;
  readonly environment?: FilterValue | undefined;
}

export interface FixtureToolDesign {
  tool(tool: string, asked: ToolDesignQuery): ToolResponse;
  columns(asked: ToolDesignQuery): ToolColumnsResponse;
  advice(asked: ToolDesignQuery & { readonly state: string }): AdviceResponse;
  dismiss(id: string, reason: string | undefined): void;
  changes(asked: ToolDesignQuery): ChangesResponse;
}

const NO_NEXT_STEPS = { n: 0, sameCall: 0, changedArguments: 0, otherTool: 0, gaveUp: 0, recovered: 0 };
const BY_CODE: Readonly<Record<string, object>> = {
  '-32602': {
    next: { n: 92, sameCall: 11, changedArguments: 58, otherTool: 8, gaveUp: 15, recovered: 61 },
    changedArguments: [
      { argument: 'limit', count: 55 },
      { argument: 'query', count: 3 },
    ],
  },
  HTTP_404: {
    next: { n: 35, sameCall: 2, changedArguments: 9, otherTool: 14, gaveUp: 10, recovered: 12 },
    changedArguments: [{ argument: 'repo', count: 9 }],
  },
};

/** @param calls read at every question, so that a test can add to them */
export function createFixtureToolDesign(
  calls: () => readonly CallRow[],
  now: () => number,
): FixtureToolDesign {
  const dismissed = new Map<string, string>();
  const iso = (hoursAgo: number): string => new Date(now() - hoursAgo * HOUR).toISOString();
  const select = ({ range, server, tool, client, environment }: ToolDesignQuery): CallRow[] =>
    calls().filter(
      (call) =>
        call.method === 'tools/call' &&
        Date.parse(call.startedAt) >= range.fromMs &&
        Date.parse(call.startedAt) < range.toMs &&
        passesFilter(server, call.server) &&
        (environment ?? call.environment) === call.environment &&
        (client ?? call.client) === call.client &&
        passesFilter(tool, call.tool),
    );
  const adviceOf = (asked: ToolDesignQuery) =>
    ADVICE.filter((row) => passesFilter(asked.server, row.server) && passesFilter(asked.tool, row.tool)).map(
      (row) => {
        const reason = dismissed.get(row.id);
        return reason === undefined ? row : { ...row, state: 'dismissed', reason };
      },
    );
  return {
    tool: (tool, asked) => {
      const own = select({ ...asked, tool });
      if (!calls().some((call) => call.tool === tool && call.server === asked.server))
        throw new UserError('NOT_FOUND', `${asked.server} has no tool "${tool}".`);
      const isKnown = tool === 'search_issues' && asked.server === 'github';
      return ToolResponse.parse({
        range: asked.range,
        server: asked.server,
        tool,
        listed: isKnown
          ? 'current'
          : own.some(({ outcome }) => outcome === 'unknown_tool')
            ? 'unlisted'
            : 'unknown_catalogue',
        ...toToolStats(own),
        failures: toFailures(own),
        ...(isKnown ? toHistory(iso) : NO_HISTORY),
        byClient: groupByKey(own, ({ client }) => client).map(([client, rows]) => ({
          client,
          ...toToolStats(rows),
        })),
        bySize: toSizes(own),
        advice: adviceOf({ ...asked, tool }).filter(({ state }) => state !== 'dismissed'),
        sequence: { fromMs: asked.range.fromMs, calls: own.length, isWhole: true },
      });
    },
    columns: (asked) =>
      ToolColumnsResponse.parse({
        range: asked.range,
        columns: groupByKey(select(asked), ({ server, tool }) => `${server} ${tool}`).map(([, rows]) => {
          const [first] = rows;
          const isKnown = first?.tool === 'search_issues';
          return {
            server: first?.server,
            tool: first?.tool,
            ...toToolStats(rows),
            correctCallRate: proportion(rows.length - rows.filter(isError).length, rows.length),
            resultUse: proportion(Math.floor(rows.length / 3), rows.length),
            topCode:
              groupByKey(rows.filter(isError), ({ code }) => code).sort(
                (a, b) => b[1].length - a[1].length,
              )[0]?.[0] ?? '',
            definitionTokens: isKnown ? 214 : first?.server === 'weather' ? null : 96,
            advice: ADVICE.filter(
              (row) =>
                row.server === first?.server &&
                row.tool === first?.tool &&
                row.state === 'open' &&
                !dismissed.has(row.id),
            ).length,
          };
        }),
        removed: passesFilter(asked.server, 'github')
          ? [
              {
                server: 'github',
                tool: 'search_code',
                firstSeenAt: iso(2_000),
                lastListedAt: iso(300),
                calls: 7,
                lastCalledAt: iso(2),
              },
            ]
          : [],
        missing: passesFilter(asked.server, 'github')
          ? [
              {
                server: 'github',
                tool: 'delete_branch_by_name',
                calls: 9,
                sessions: 6,
                clients: ['cursor', 'vscode'],
                lastCalledAt: iso(3),
                nearest: 'delete_branch',
              },
            ]
          : [],
        sequences: [
          {
            ...{ server: 'github', tools: ['search_issues', 'get_file'], count: 402, sessions: 131 },
            endedInFailure: proportion(14, 402),
          },
          {
            ...{ server: 'notes', tools: ['search', 'get', 'move'], count: 9, sessions: 4 },
            endedInFailure: proportion(2, 9),
          },
        ],
      }),
    advice: (asked) =>
      AdviceSchema.parse({
        range: asked.range,
        correctCallRate: { value: 0.974, n: 4068, low: 0.969, high: 0.978 },
        errorRecoveryRate: { value: 0.575, n: 127, low: 0.488, high: 0.657 },
        advice: adviceOf(asked)
          .filter(({ state }) => asked.state === 'all' || state === asked.state)
          .sort((a, b) => b.callsLost - a.callsLost),
      }),
    dismiss(id, reason) {
      if (reason === undefined) dismissed.delete(id);
      else dismissed.set(id, reason);
    },
    changes: (asked) =>
      ChangesResponse.parse({
        range: asked.range,
        changes: CHANGES.map(({ hoursAgo, ...row }) => ({ ...row, at: iso(hoursAgo) })).filter(
          ({ at, server }) => Date.parse(at) >= asked.range.fromMs && passesFilter(asked.server, server),
        ),
      }),
  };
}

const NO_HISTORY = { versions: [], arguments: [], before: [], after: [], confusedWith: [] };

/** What only search_issues has. */
function toHistory(iso: (hoursAgo: number) => string) {
  return {
    versions: SEARCH_VERSIONS.map(({ from, to, hash, ...version }) => ({
      ...version,
      definitionHash: hash,
      definition: DEFINITIONS[hash],
      firstSeenAt: iso(from),
      lastSeenAt: iso(to),
    })),
    arguments: SEARCH_ARGUMENTS,
    before: [
      { tool: 'list_commits', count: 214, endedInFailure: proportion(19, 214) },
      { tool: 'get_file', count: 187, endedInFailure: proportion(31, 187) },
    ],
    after: [
      { tool: 'get_file', count: 402, endedInFailure: proportion(14, 402) },
      { tool: 'create_issue', count: 12, endedInFailure: proportion(3, 12) },
    ],
    confusedWith: [{ tool: 'list_commits', calls: 23, sessions: 17 }],
  };
}

const isError = (call: CallRow): boolean => call.fault !== 'none';

function groupByKey(rows: readonly CallRow[], keyOf: (row: CallRow) => string): [string, CallRow[]][] {
  const groups = new Map<string, CallRow[]>();
  for (const row of rows) groups.set(keyOf(row), [...(groups.get(keyOf(row)) ?? []), row]);
  return [...groups];
}

/** Wilson's interval, written down again here so that the page is not tested with its own arithmetic. */
function proportion(k: number, n: number) {
  if (n === 0) return { value: null, n, low: null, high: null };
  const z = 1.96;
  const p = k / n;
  const middle = (p + (z * z) / (2 * n)) / (1 + (z * z) / n);
  const half = (z / (1 + (z * z) / n)) * Math.sqrt((p * (1 - p)) / n + (z * z) / (4 * n * n));
  return { value: p, n, low: Math.max(0, middle - half), high: Math.min(1, middle + half) };
}

function percentile(rows: readonly CallRow[], share: number): number | null {
  const sorted = rows.map(({ durationMs }) => durationMs).sort((a, b) => a - b);
  return sorted[Math.max(0, Math.ceil(sorted.length * share) - 1)] ?? null;
}

function toToolStats(rows: readonly CallRow[]) {
  const isKnown = rows[0]?.tool === 'search_issues';
  const failed = rows.filter(isError).length;
  return {
    calls: rows.length,
    sessions: new Set(rows.map(({ sessionId }) => sessionId)).size,
    errorRate: proportion(failed, rows.length),
    p50Ms: percentile(rows, 0.5),
    p95Ms: percentile(rows, 0.95),
    resultTokensP95: isKnown ? 8_400 : 478,
    results: isKnown ? { n: 1_077, structured: 0, json: 1_041 } : { n: 0, structured: 0, json: 0 },
    next: isKnown
      ? { n: 127, sameCall: 13, changedArguments: 67, otherTool: 22, gaveUp: 25, recovered: 73 }
      : NO_NEXT_STEPS,
    triesPerSuccess: rows.length > failed ? rows.length / (rows.length - failed) : null,
    loopShare: proportion(rows[0]?.tool === 'move' ? rows.length - 1 : 0, rows.length),
  };
}

function toFailures(rows: readonly CallRow[]) {
  const failed = rows.filter(isError);
  return groupByKey(failed, ({ outcome, code, errorMessage }) => `${outcome} ${code} ${errorMessage}`)
    .sort((a, b) => b[1].length - a[1].length)
    .map(([id, same]) => {
      const [first] = same;
      return {
        id,
        outcome: first?.outcome,
        fault: first?.fault,
        code: first?.code,
        template: first?.errorMessage,
        argument: first?.errorArgument,
        count: same.length,
        share: same.length / failed.length,
        sessions: new Set(same.map(({ sessionId }) => sessionId)).size,
        clients: [...new Set(same.map(({ client }) => client))].sort(),
        versions: ['1.4.2'],
        firstSeenAt: new Date(Date.parse(same.at(-1)?.startedAt ?? '') - 30 * HOUR).toISOString(),
        lastSeenAt: same.at(-1)?.startedAt,
        isNew: first?.code === '-32602',
        next: NO_NEXT_STEPS,
        changedArguments: [],
        ...(first?.tool === 'search_issues' ? BY_CODE[first.code] : {}),
        samples: same
          .slice(-3)
          .reverse()
          .map(({ traceId, spanId, sessionId, startedAt }) => ({ traceId, spanId, sessionId, startedAt })),
      };
    });
}

function toSizes(rows: readonly CallRow[]) {
  const edges: [number, number | null][] = [
    [0, 1_000],
    [1_000, 10_000],
    [10_000, null],
  ];
  return edges.map(([fromBytes, toBytes], at) => {
    const own = rows.filter((_, index) => (index % 5 < 2 ? at === 0 : index % 5 < 4 ? at === 1 : at === 2));
    const slower = at + 1;
    const scale = (ms: number | null): number | null => (ms === null ? null : ms * slower);
    return {
      fromBytes,
      toBytes,
      calls: own.length,
      p50Ms: scale(percentile(own, 0.5)),
      p95Ms: scale(percentile(own, 0.95)),
    };
  });
}
