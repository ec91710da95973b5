// Evidence for the tables: what is not given never happened.

import {
  type ArgumentEvidence,
  emptyToolEvidence,
  type FailureEvidence,
  type ResultEvidence,
  type ToolEvidence,
} from '../../../src/core/advice/tool-evidence.ts';
import type { ToolDefinition } from '../../../src/core/model/catalogue.ts';

export function tool(name: string, over: Partial<ToolDefinition> = {}): ToolDefinition {
  return {
    name,
    description: 'Use it when in doubt. Returns nothing.',
    inputSchema: { type: 'object' },
    ...over,
  };
}

/** A tool with one argument. */
export function withArgument(
  name: string,
  path: string,
  schema: object,
  over: Partial<ToolDefinition> = {},
): ToolDefinition {
  return tool(name, { inputSchema: { type: 'object', properties: { [path]: schema } }, ...over });
}

export function argument(path: string, over: Partial<ArgumentEvidence> = {}): ArgumentEvidence {
  const none = { known: 0, sent: 0, invalid: 0, incomplete: 0, compared: 0, distinct: 0, mostFrequent: 0 };
  return { path, ...none, types: {}, longestText: 0, ...over };
}

export function failure(over: Partial<FailureEvidence> & { readonly calls: number }): FailureEvidence {
  const next = { sameCall: 0, changedArgument: 0, otherTool: 0, recovered: 0, gaveUp: 0, ...over.next };
  return {
    ...{
      code: 'tool_error',
      outcome: 'tool_error',
      fault: 'server',
      template: '',
      argument: '',
      sessions: 1,
    },
    ...{ withCode: 0, seen: 0, withRecovery: 0, withRetryable: 0, withStackTrace: 0, withPath: 0 },
    ...over,
    next,
  };
}

export function evidence(
  name: string,
  {
    results = {},
    ...over
  }: Partial<Omit<ToolEvidence, 'results'>> & { readonly results?: Partial<ResultEvidence> } = {},
): ToolEvidence {
  const empty = emptyToolEvidence(name);
  return { ...empty, calls: 200, sessions: 10, ...over, results: { ...empty.results, ...results } };
}
