// What calls say of the use of results, put together by tool, by pair of fields and by argument. Calls with the same text are one row.

import type {
  ResultEdge,
  ResultUseResponse,
  ResultUseTool,
  UnsourcedArgument,
  UnusedField,
} from '../../../contract/result-use.ts';
import { type ArgumentOrigin, parseArgumentOrigins } from '../../../core/model/argument-origin.ts';
import { groupBy } from '../../../core/values/group-by.ts';
import { toProportion } from '../query/proportion.ts';
import { sumResults, toResultUse, type UsedResultsRow } from './used-results.ts';

/** Calls of one tool with the same origins. */
export interface OriginRow {
  readonly server: string;
  readonly tool: string;
  readonly origins: string;
  readonly n: number;
  readonly errors: number;
}

/** A field and the results that had it. */
export interface FieldRow {
  readonly server: string;
  readonly tool: string;
  readonly path: string;
  readonly n: number;
  readonly session_count: number;
}

type Summary = Pick<ResultUseResponse, 'used' | 'tools' | 'edges' | 'unusedFields' | 'unsourcedArguments'>;

const MAX_TOOLS = 200;
const MAX_EDGES = 300;
const MAX_LISTED = 200;
/** Below, a field that no call used says little. */
export const MIN_UNUSED_RESULTS = 20;
export const MIN_UNUSED_SESSIONS = 3;

interface ResultUseRows {
  readonly origins: readonly OriginRow[];
  readonly fields: readonly FieldRow[];
  readonly results: readonly UsedResultsRow[];
}

export function summariseResultUse({ origins: rows, fields, results }: ResultUseRows): Summary {
  const edges = new Map<string, EdgeCounts>();
  const unsourced = new Map<string, ArgumentCounts>();
  for (const row of rows) {
    for (const origin of parseArgumentOrigins(row.origins)) {
      countEdge(edges, row, origin);
      countArgument(unsourced, row, origin);
    }
  }
  const tools = [...groupBy(results, ({ server, tool }) => toKey(server, tool)).values()];
  return {
    used: toResultUse(results),
    tools: tools
      .flatMap(toToolRow)
      .sort((one, other) => other.used.n - one.used.n)
      .slice(0, MAX_TOOLS),
    edges: largest([...edges.values()], ({ calls }) => calls, MAX_EDGES),
    unusedFields: listUnused(fields, edges),
    unsourcedArguments: largest(
      [...unsourced.values()].filter(({ nowhere }) => nowhere > 0),
      ({ nowhere }) => nowhere,
      MAX_LISTED,
    ).map(toUnsourcedRow),
  };
}

type EdgeCounts = { -readonly [Key in keyof ResultEdge]: ResultEdge[Key] };

interface ArgumentCounts extends Pick<UnsourcedArgument, 'server' | 'tool' | 'path'> {
  calls: number;
  nowhere: number;
  nowhereErrors: number;
  sourced: number;
  sourcedErrors: number;
}

function toKey(...parts: readonly string[]): string {
  return JSON.stringify(parts);
}

function countEdge(
  edges: Map<string, EdgeCounts>,
  { server, tool, n, errors }: OriginRow,
  { path, kind, source }: ArgumentOrigin,
): void {
  if (source === undefined) return;
  const { tool: sourceTool, path: sourcePath } = source;
  const key = toKey(server, sourceTool, sourcePath, tool, path);
  const edge = edges.get(key) ?? {
    ...{ server, sourceTool, sourcePath, tool, path },
    ...{ calls: 0, partialCalls: 0, errors: 0 },
  };
  edge.calls += n;
  edge.errors += errors;
  if (kind === 'part') edge.partialCalls += n;
  edges.set(key, edge);
}

function countArgument(
  counted: Map<string, ArgumentCounts>,
  { server, tool, n, errors }: OriginRow,
  { path, kind }: ArgumentOrigin,
): void {
  if (kind === 'page') return;
  const key = toKey(server, tool, path);
  const counts = counted.get(key) ?? {
    ...{ server, tool, path, calls: 0 },
    ...{ nowhere: 0, nowhereErrors: 0, sourced: 0, sourcedErrors: 0 },
  };
  counts.calls += n;
  if (kind === 'nowhere') {
    counts.nowhere += n;
    counts.nowhereErrors += errors;
  } else if (kind === 'result' || kind === 'part') {
    counts.sourced += n;
    counts.sourcedErrors += errors;
  }
  counted.set(key, counts);
}

/** @param rows of one tool */
function toToolRow(rows: readonly UsedResultsRow[]): ResultUseTool[] {
  const [first] = rows;
  if (first === undefined) return [];
  const { usedPages, pages } = sumResults(rows);
  const { server, tool } = first;
  return [{ server, tool, used: toResultUse(rows), usedPages: toProportion(usedPages, pages) }];
}

function toUnsourcedRow(counts: ArgumentCounts): UnsourcedArgument {
  const { server, tool, path, calls, nowhere, nowhereErrors, sourced, sourcedErrors } = counts;
  return {
    ...{ server, tool, path },
    unsourced: toProportion(nowhere, calls),
    errorRate: toProportion(nowhereErrors, nowhere),
    sourcedErrorRate: toProportion(sourcedErrors, sourced),
  };
}

/** A text without fields is not listed: that it is used in words cannot be seen. */
function listUnused(fields: readonly FieldRow[], edges: ReadonlyMap<string, EdgeCounts>): UnusedField[] {
  const used = new Set(
    [...edges.values()].map(({ server, sourceTool, sourcePath }) => toKey(server, sourceTool, sourcePath)),
  );
  return fields
    .filter(
      ({ server, tool, path, n, session_count }) =>
        n >= MIN_UNUSED_RESULTS &&
        session_count >= MIN_UNUSED_SESSIONS &&
        path !== 'text' &&
        !used.has(toKey(server, tool, path)),
    )
    .slice(0, MAX_LISTED)
    .map(({ server, tool, path, n, session_count }) => ({
      ...{ server, tool, path },
      ...{ results: n, sessions: session_count },
    }));
}

function largest<Row extends { readonly server: string }>(
  rows: readonly Row[],
  of: (row: Row) => number,
  limit: number,
): Row[] {
  return rows.toSorted((a, b) => of(b) - of(a)).slice(0, limit);
}
