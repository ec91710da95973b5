// The interface of a simulated server: it answers like a real one, at a time of the story, and says how long it took.

import type { Dice } from './dice.ts';
import type { Story } from './story.ts';

/** The result of `tools/call`, as MCP has it. */
export interface ToolResult {
  readonly content: readonly { readonly type: 'text'; readonly text: string }[];
  readonly structuredContent?: Readonly<Record<string, unknown>>;
  readonly isError?: true;
}

/** A query or request that a tool waits for. */
export interface SimulatedDependency {
  readonly kind: 'db' | 'http';
  /** The name of its span, such as `SELECT orders`. */
  readonly name: string;
  /** The database, or the host. */
  readonly target: string;
  readonly durationMs: number;
  readonly failed?: true;
}

export interface SimulatedAnswer {
  readonly result: ToolResult;
  /** Of the tool itself, without its dependencies. */
  readonly ownMs: number;
  readonly dependencies: readonly SimulatedDependency[];
}

export type ToolArguments = Readonly<Record<string, unknown>>;

export interface SimulatedRequest {
  readonly tool: string;
  readonly arguments: ToolArguments;
  readonly atMs: number;
  readonly story: Story;
  readonly dice: Dice;
}

export interface SimulatedServer {
  readonly name: string;
  readonly transport: 'http' | 'stdio';
  versionAt(story: Story, atMs: number): string;
  /** Definitions as in `tools/list`. */
  listTools(version: string): readonly object[];
  answer(request: SimulatedRequest): SimulatedAnswer;
}

export function toResult(structured: Readonly<Record<string, unknown>>): ToolResult {
  return { content: [{ type: 'text', text: JSON.stringify(structured) }], structuredContent: structured };
}

export function toFailure(text: string): ToolResult {
  return { content: [{ type: 'text', text }], isError: true };
}

/** How the MCP SDK refuses a call without a required argument. */
export function refuseMissing(tool: string, argument: string): ToolResult {
  const issue = {
    expected: 'string',
    code: 'invalid_type',
    path: [argument],
    message: 'Invalid input: expected string, received undefined',
  };
  return toFailure(
    `MCP error -32602: Input validation error: Invalid arguments for tool ${tool}: ${JSON.stringify([issue], null, 2)}`,
  );
}

export function refuseUnknown(tool: string): ToolResult {
  return toFailure(`MCP error -32602: Tool ${tool} not found`);
}

interface ToolText {
  readonly name: string;
  readonly description: string;
  readonly required: Readonly<Record<string, object>>;
  readonly optional?: Readonly<Record<string, object>>;
  readonly readOnly?: boolean;
}

/** A definition as in `tools/list`. */
export function defineTool({
  name,
  description,
  required,
  optional = {},
  readOnly = true,
}: ToolText): object {
  return {
    name,
    description,
    inputSchema: {
      type: 'object',
      properties: { ...required, ...optional },
      required: Object.keys(required),
      additionalProperties: false,
    },
    annotations: { readOnlyHint: readOnly },
  };
}

export const text = (description: string): object => ({ type: 'string', description });
export const number = (description: string): object => ({ type: 'integer', description });
