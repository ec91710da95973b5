// Tool calls as agents and their frameworks write them. They are no calls of a server: a server's own span, or that of
// `observe`, counts the call, and adding the agent's would count it twice.

import type { Attributes, OtlpSpan } from '../otlp/span.ts';
import * as semconv from '../semconv/conventions.ts';
import { readOwn } from './attribute-reader.ts';
import type { Dialect } from './dialect.ts';

type Mark = readonly [name: string, value: string];

/** Recorded from AI SDK 5 and 7, OpenInference for LangChain 4.1, Traceloop 0.27 and Langfuse 5.11. */
const MARKS: readonly Mark[] = [
  [semconv.ATTR_OPERATION_NAME, semconv.OPERATION_EXECUTE_TOOL], // the GenAI conventions, AI SDK 7
  ['ai.operationId', 'ai.toolCall'], // AI SDK 5
  ['openinference.span.kind', 'TOOL'],
  ['traceloop.span.kind', 'tool'],
  ['langfuse.observation.type', 'tool'],
];

/** Logfire of the client's side. */
const LOGFIRE_CLIENT_SPAN = 'MCP request: ';

export const agentDialect: Dialect = {
  name: 'agent',
  names: new Set(),
  matches: ({ name, attributes }: OtlpSpan) =>
    !hasMethod(attributes) &&
    (name.startsWith(LOGFIRE_CLIENT_SPAN) ||
      MARKS.some(([key, value]) => readOwn(attributes, key) === value)),
  read: () => ({ kind: 'ignored', reason: 'agent_side' }),
};

function hasMethod(attributes: Attributes): boolean {
  return readOwn(attributes, semconv.ATTR_METHOD_NAME) !== undefined;
}
