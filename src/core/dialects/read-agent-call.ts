// Reads a span of the agent's side as a tool call of the agent. Arguments and results are left out: the server's call has them,
// reduced by its capture mode.

import type { AgentCall } from '../model/agent-call.ts';
import type { Attributes, OtlpSpan } from '../otlp/span.ts';
import * as semconv from '../semconv/conventions.ts';
import { redactMessage } from '../values/redact-message.ts';
import { redactId, redactName } from '../values/redact-name.ts';
import type { RedactionOptions } from '../values/redaction-options.ts';
import { findAgentEmitter } from './agent-emitters.ts';
import { parseJson, readName, readOwn, readText } from './attribute-reader.ts';

const SESSION_NAMES = [
  ...['gen_ai.conversation.id', 'session.id', 'langfuse.session.id', 'ai.telemetry.metadata.sessionId'],
  ...['traceloop.association.properties.session_id'],
];

/** What the frameworks call the result of a tool. */
const RESULT_NAMES = [semconv.ATTR_TOOL_RESULT, 'ai.toolCall.result', 'traceloop.entity.output'];

/** UTF-16 units of an id or a message before it is reduced. */
const MAX_RAW_LENGTH = 8192;
/** Parsing a longer result would take longer than the rest of the span; its status has to tell. */
const MAX_RESULT_LENGTH = 65_536;

/**
 * Reads a span of the agent's side. Pure, never throws.
 *
 * @param span in the words of the conventions; see `toConventions`
 * @returns undefined for a span that is no tool call of an agent
 */
export function readAgentCall(span: OtlpSpan, redaction: RedactionOptions): AgentCall | undefined {
  const dialect = findAgentEmitter(span);
  const tool = dialect?.readTool(span) ?? '';
  if (dialect === undefined || tool === '') return undefined;
  const { attributes, resource } = span;
  const failed = isFailed(span);
  const message = failed ? readMessage(span) : '';
  return {
    traceId: span.traceId,
    spanId: span.spanId,
    parentSpanId: span.parentSpanId,
    startedAtUs: span.startUs,
    durationUs: Math.max(0, span.endUs - span.startUs),
    emitter: dialect.emitter,
    agent: readName(resource, [semconv.ATTR_SERVICE_NAME], redaction),
    sessionId: redactId(readText(attributes, SESSION_NAMES, MAX_RAW_LENGTH), redaction),
    tool: redactName(tool, redaction),
    failed,
    errorType: failed ? readName(findErrorAttributes(span), ERROR_TYPE_NAMES, redaction) : '',
    errorMessage: message === '' ? '' : redactMessage(message, redaction),
  };
}

const ERROR_TYPE_NAMES = [semconv.ATTR_ERROR_TYPE, 'exception.type'];

function isFailed({ attributes, status }: OtlpSpan): boolean {
  return (
    status.code === 2 ||
    readText(attributes, [semconv.ATTR_ERROR_TYPE]) !== '' ||
    readOwn(attributes, 'langfuse.observation.level') === 'ERROR' ||
    readResult(attributes)?.isError === true
  );
}

function readMessage({ attributes, status, events }: OtlpSpan): string {
  const thrown = events.find(({ name }) => name === 'exception')?.attributes ?? {};
  return (
    status.message.slice(0, MAX_RAW_LENGTH) ||
    readText(thrown, ['exception.message'], MAX_RAW_LENGTH) ||
    readText(attributes, ['langfuse.observation.status_message'], MAX_RAW_LENGTH) ||
    (readResult(attributes)?.text ?? '').slice(0, MAX_RAW_LENGTH)
  );
}

function findErrorAttributes({ attributes, events }: OtlpSpan): Attributes {
  const thrown = events.find(({ name }) => name === 'exception')?.attributes ?? {};
  return { ...thrown, ...attributes };
}

interface AgentResult {
  readonly isError: boolean;
  readonly text: string;
}

/** The result of an MCP tool as AI SDK 5 and 7 and Traceloop pass it on. */
function readResult(attributes: Attributes): AgentResult | undefined {
  const text = readText(attributes, RESULT_NAMES, MAX_RESULT_LENGTH + 1);
  if (!text.startsWith('{') || text.length > MAX_RESULT_LENGTH) return undefined;
  const parsed = parseJson(text);
  if (typeof parsed !== 'object' || parsed === null) return undefined;
  const fields = parsed as Readonly<Record<string, unknown>>;
  const isError = fields['isError'] === true || fields['is_error'] === true;
  return { isError, text: findText(fields['content'] ?? fields['result']) };
}

function findText(content: unknown): string {
  if (typeof content === 'string') return content;
  const [first]: readonly unknown[] = Array.isArray(content) ? content : [];
  const isBlock = typeof first === 'object' && first !== null && 'text' in first;
  return isBlock && typeof first.text === 'string' ? first.text : '';
}
