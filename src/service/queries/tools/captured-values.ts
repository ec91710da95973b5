// The values of an argument by name: only where a server captures them (`redacted` or `full`), and only from
// its newest calls. Elsewhere values are compared by fingerprints and have no names.
//
// The read is bounded: none without captured payloads; else the payloads of the newest calls, each found by
// the table's key.

import { z } from 'zod';
import type { ToolEvidence } from '../../../core/advice/tool-evidence.ts';
import { count } from '../../store/row-codec.ts';
import { type CallWindow, inWindows } from '../query/call-window.ts';
import type { CommonFilters } from '../query/filters.ts';
import type { QueryContext } from '../query/query-context.ts';

/** Payloads read per tool: each may take a granule of a thousand rows. */
const MAX_CALLS = 200;
/** The same for each tool under advice, and the maximum number of such tools. */
const MAX_ADVICE_CALLS = 100;
const MAX_ADVICE_TOOLS = 10;
/** Longer texts are free text, not a choice. */
const MAX_VALUE_LENGTH = 64;
/** More distinct values are not a choice. */
const MAX_VALUES = 20;

/** By top-level argument: its values with their number of calls. */
export type CapturedValues = ReadonlyMap<string, ReadonlyMap<string, number>>;

interface CapturedValuesQuery {
  readonly server: string;
  readonly tool: string;
  readonly windows: readonly CallWindow[];
  readonly filters: CommonFilters;
  readonly maxCalls?: number;
}

const SpanRow = z.object({ span_id: z.string(), trace_id: z.string(), hour_s: count });
const PayloadRow = z.object({ trace_id: z.string(), span_id: z.string(), arguments: z.string() });

/** @returns empty if nothing is captured */
export async function readCapturedValues(
  { server, tool, windows, filters, maxCalls = MAX_CALLS }: CapturedValuesQuery,
  context: QueryContext,
): Promise<CapturedValues> {
  const own = windows.filter((window) => window.server === server);
  if (own.length === 0 || !(await isCaptured(server, context))) return new Map();
  const where = inWindows(own, { ...filters, tool });
  const spans = await context.store.query({
    sql: `
    SELECT span_id, trace_id, toUnixTimestamp(toStartOfHour(started_at)) AS hour_s
    FROM calls
    WHERE ${where.sql} AND arguments_bytes > 0
    ORDER BY started_at DESC
    LIMIT ${maxCalls}`,
    params: where.params,
    row: SpanRow,
  });
  if (spans.length === 0) return new Map();
  const rows = await context.store.query({
    sql: `
    SELECT trace_id, span_id, arguments
    FROM payloads
    WHERE server_name = {server:String}
      AND toStartOfHour(started_at) IN (SELECT toStartOfHour(fromUnixTimestamp64Milli(arrayJoin({hours:Array(Int64)}) * 1000, 'UTC')))
      AND span_id IN {spans:Array(String)}
    LIMIT 1 BY trace_id, span_id`,
    params: {
      server,
      hours: [...new Set(spans.map(({ hour_s }) => hour_s))],
      spans: spans.map(({ span_id }) => span_id),
    },
    row: PayloadRow,
  });
  const known = new Set(spans.map(({ trace_id, span_id }) => `${trace_id} ${span_id}`));
  return countValues(
    rows.flatMap((row) => (known.has(`${row.trace_id} ${row.span_id}`) ? [row.arguments] : [])),
  );
}

async function isCaptured(server: string, { store }: QueryContext): Promise<boolean> {
  const rows = await store.query({
    sql: 'SELECT 1 AS one FROM payloads WHERE server_name = {server:String} LIMIT 1',
    params: { server },
    row: z.object({ one: count }),
  });
  return rows.length > 0;
}

/**
 * Counts values in arguments as JSON. Truncated payloads, payloads that are not objects, and arguments with
 * too many values are left out.
 */
export function countValues(payloads: readonly string[]): CapturedValues {
  const found = new Map<string, Map<string, number>>();
  for (const text of payloads) {
    for (const [name, value] of Object.entries(parseObject(text))) {
      const values = found.get(name) ?? new Map<string, number>();
      const listable = toListableValue(value);
      values.set(listable, (values.get(listable) ?? 0) + 1);
      found.set(name, values);
    }
  }
  return new Map([...found].filter(([, values]) => values.size <= MAX_VALUES && !values.has(NOT_LISTABLE)));
}

/** Stands for a value that cannot be listed: a structure or a long text. */
const NOT_LISTABLE = '\0';

function toListableValue(value: unknown): string {
  const isShort = typeof value === 'string' && value.length <= MAX_VALUE_LENGTH;
  return isShort || typeof value === 'number' || typeof value === 'boolean' ? String(value) : NOT_LISTABLE;
}

function parseObject(text: string): Record<string, unknown> {
  try {
    return z.record(z.string(), z.unknown()).catch({}).parse(JSON.parse(text));
  } catch {
    // Truncated, or from an emitter that sent something else.
    return {};
  }
}

/** Adds the values that advice may name: an argument's values if all of them were captured. */
export async function addCapturedValues(
  tools: readonly ToolEvidence[],
  { server, windows, filters }: Omit<CapturedValuesQuery, 'tool' | 'most'>,
  context: QueryContext,
): Promise<ToolEvidence[]> {
  const hasFew = (tool: ToolEvidence) =>
    tool.arguments.some(
      ({ distinct, compared }) => distinct > 0 && distinct <= MAX_VALUES && compared >= MAX_VALUES,
    );
  const candidates = tools.filter(hasFew).slice(0, MAX_ADVICE_TOOLS);
  if (candidates.length === 0 || !(await isCaptured(server, context))) return [...tools];
  const named = new Map(
    await Promise.all(
      candidates.map(async ({ tool }) => {
        const query = { server, tool, windows, filters, maxCalls: MAX_ADVICE_CALLS };
        return [tool, await readCapturedValues(query, context)] as const;
      }),
    ),
  );
  return tools.map((tool) => ({
    ...tool,
    arguments: tool.arguments.map((argument) => {
      const values = named.get(tool.tool)?.get(argument.path);
      if (values === undefined || values.size !== argument.distinct) return argument;
      return {
        ...argument,
        values: [...values].sort(([, one], [, other]) => other - one).map(([value]) => value),
      };
    }),
  }));
}
