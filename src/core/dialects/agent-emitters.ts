// How agents and their frameworks write a tool call: by which attribute it is recognised, and where the name of the tool stands.

import type { AgentEmitter } from '../model/agent-call.ts';
import type { OtlpSpan } from '../otlp/span.ts';
import * as semconv from '../semconv/conventions.ts';
import { readOwn, readText } from './attribute-reader.ts';

interface AgentDialect {
  readonly emitter: AgentEmitter;
  readonly matches: (span: OtlpSpan) => boolean;
  /** Returns '' for a span that calls no tool. */
  readonly readTool: (span: OtlpSpan) => string;
}

/** UTF-16 units read of a name before secrets are taken out. */
const MAX_RAW_NAME_LENGTH = 8192;
/** Logfire of the client's side. */
const LOGFIRE_CLIENT_SPAN = 'MCP request: ';

const hasMark =
  (name: string, value: string) =>
  ({ attributes }: OtlpSpan): boolean =>
    readOwn(attributes, name) === value;

const named =
  (attribute: string) =>
  ({ name, attributes }: OtlpSpan): string =>
    readText(attributes, [attribute], MAX_RAW_NAME_LENGTH) || name;

/** Recorded from AI SDK 5 and 7, OpenInference for LangChain 4.1, Traceloop 0.27 and Langfuse 5.11; Logfire from its source. */
const FRAMEWORKS: readonly AgentDialect[] = [
  {
    emitter: 'gen_ai', // AI SDK 7 among others
    matches: hasMark(semconv.ATTR_OPERATION_NAME, semconv.OPERATION_EXECUTE_TOOL),
    readTool: ({ name, attributes }) =>
      readText(attributes, [semconv.ATTR_TOOL_NAME], MAX_RAW_NAME_LENGTH) ||
      afterPrefix(name, `${semconv.OPERATION_EXECUTE_TOOL} `),
  },
  {
    emitter: 'ai_sdk', // AI SDK 5
    matches: hasMark('ai.operationId', 'ai.toolCall'),
    readTool: named('ai.toolCall.name'),
  },
  {
    emitter: 'openinference',
    matches: hasMark('openinference.span.kind', 'TOOL'),
    readTool: named('tool.name'),
  },
  {
    emitter: 'traceloop',
    matches: hasMark('traceloop.span.kind', 'tool'),
    readTool: named('traceloop.entity.name'),
  },
  {
    emitter: 'langfuse',
    matches: hasMark('langfuse.observation.type', 'tool'),
    readTool: ({ name }) => name,
  },
  {
    emitter: 'logfire',
    matches: ({ name }) => name.startsWith(LOGFIRE_CLIENT_SPAN),
    readTool: ({ name }) => afterPrefix(name, `${LOGFIRE_CLIENT_SPAN}${semconv.METHOD_TOOLS_CALL} `),
  },
];

/** The conventions and OpenLIT: a request as the SDK of the client reports it. */
const MCP_CLIENT: AgentDialect = {
  emitter: 'mcp_client',
  matches: hasMark(semconv.ATTR_METHOD_NAME, semconv.METHOD_TOOLS_CALL),
  readTool: ({ name, attributes }) =>
    readText(attributes, [semconv.ATTR_TOOL_NAME], MAX_RAW_NAME_LENGTH) ||
    afterPrefix(name, `${semconv.METHOD_TOOLS_CALL} `),
};

function afterPrefix(text: string, prefix: string): string {
  return text.startsWith(prefix) ? text.slice(prefix.length, prefix.length + MAX_RAW_NAME_LENGTH) : '';
}

/** Finds the framework that wrote a span; one with the name of an MCP method is a request, not a framework's span. */
export function findFramework(span: OtlpSpan): AgentDialect | undefined {
  if (readOwn(span.attributes, semconv.ATTR_METHOD_NAME) !== undefined) return undefined;
  return FRAMEWORKS.find(({ matches }) => matches(span));
}

/** Finds the emitter of a tool call on the agent's side, a framework or an MCP client. */
export function findAgentEmitter(span: OtlpSpan): AgentDialect | undefined {
  if (span.kind === 'client' && MCP_CLIENT.matches(span)) return MCP_CLIENT;
  return findFramework(span);
}
