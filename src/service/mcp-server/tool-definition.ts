// What every tool of the server has: a name, texts, schemas, and a function from input to output. The fields
// that several tools share are described here once.

import { z } from 'zod';
import type { ResourceReader } from './resource-reader.ts';

export interface ToolContext {
  readonly read: ResourceReader;
  /** Base URL of the dashboard, without a trailing slash. */
  readonly dashboardUrl: string;
}

/** The answer of a tool before it is bounded and fenced. */
export interface ToolAnswer<O> {
  /** One sentence in our own words with its numbers; never a string that a stranger wrote. */
  readonly headline: string;
  readonly output: O;
  /** The page of the dashboard that shows the same, from its root. */
  readonly page: string;
}

export interface ToolDefinition {
  readonly name: string;
  readonly title: string;
  readonly description: string;
  readonly input: z.ZodObject;
  readonly output: z.ZodObject;
  readonly run: (input: unknown, context: ToolContext) => Promise<ToolAnswer<object>>;
}

interface TypedToolDefinition<I extends z.ZodObject, O extends z.ZodObject>
  extends Omit<ToolDefinition, 'input' | 'output' | 'run'> {
  readonly input: I;
  readonly output: O;
  readonly run: (input: z.output<I>, context: ToolContext) => Promise<ToolAnswer<z.input<O>>>;
}

/** A tool whose function is checked against its schemas. The SDK has parsed the input before. */
export function defineTool<I extends z.ZodObject, O extends z.ZodObject>({
  run,
  ...definition
}: TypedToolDefinition<I, O>): ToolDefinition {
  return { ...definition, run: (input, context) => run(definition.input.parse(input), context) };
}

const MAX_ROWS = 25;
const DEFAULT_ROWS = 10;

const timeDescription =
  'ISO 8601, epoch milliseconds, or a distance from now such as now-24h, now-30m or now-7d.';

export const rangeFields = {
  from: z.string().default('now-24h').describe(`Start of the time range: ${timeDescription}`),
  to: z.string().default('now').describe(`End of the time range: ${timeDescription}`),
};

export const serverField = {
  server: z.string().max(256).optional().describe('Only this MCP server; its name as other answers give it.'),
};

export const toolField = {
  tool: z.string().max(256).optional().describe('Only this tool; its name as other answers give it.'),
};

export const pageFields = {
  limit: z
    .number()
    .int()
    .min(1)
    .max(MAX_ROWS)
    .default(DEFAULT_ROWS)
    .describe(`Number of rows to return, 1 to ${MAX_ROWS}.`),
  cursor: z
    .string()
    .max(512)
    .optional()
    .describe('The nextCursor of an earlier answer, to read on from there.'),
};

export const nextCursor = z
  .string()
  .nullable()
  .describe('Give it as cursor to read on; null on the last page.');

/** A fraction with the number of calls behind it and its 95 % interval, as the API gives it. */
export const proportion = z.object({
  value: z.number().nullable(),
  n: z.number(),
  low: z.number().nullable(),
  high: z.number().nullable(),
});

export const range = z.object({ from: z.string(), to: z.string() });

/** ISO 8601 instants of a range of the API. */
export function toIsoRange({ fromMs, toMs }: { readonly fromMs: number; readonly toMs: number }) {
  return { from: new Date(fromMs).toISOString(), to: new Date(toMs).toISOString() };
}

/** `5.2 %`; `unknown` without calls. */
export function formatRate(rate: number | null): string {
  return rate === null ? 'unknown' : `${Math.round(rate * 1000) / 10} %`;
}

/** `1 call`, `12 calls`. */
export function formatNumber(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? '' : 's'}`;
}
