// Replaces a message that was too long to parse by its outline and its length. Its unknown content must never
// compare equal to anything else.

import type { ToolCall } from '../../core/model/tool-call.ts';
import { textFieldOf } from '../../core/observer/json-rpc.ts';
import type { ObservedCall } from '../../core/observer/observed-call.ts';
import type { RedactedCall } from '../../core/observer/redact-call.ts';
import type { Outline } from './outline-scanner.ts';

/** Set on its params or result: the bytes of its line; undefined when the content is known. */
export const OUTLINED_BYTES = Symbol('bytes of a line that was not parsed');

interface OutlinedValue {
  [OUTLINED_BYTES]: number | undefined;
}

export interface OutlinedMessage {
  readonly message: object;
  /** Sets the length of the line, once it has ended. */
  setBytes(bytes: number): void;
}

let uniqueCount = 0;

/** Placeholder for unknown arguments: the guard compares requests by them, and these equal no others. */
export function createUniqueArguments(): object {
  uniqueCount += 1;
  return { count: uniqueCount };
}

/** Creates a JSON-RPC message from an outline; undefined when the outline lacks the necessary fields. */
export function toOutlinedMessage(outline: Outline): OutlinedMessage | undefined {
  const { id, method, name, hasParams, hasResult, isError, error } = outline;
  const content: OutlinedValue = { [OUTLINED_BYTES]: 0 };
  const setBytes = (bytes: number): void => {
    content[OUTLINED_BYTES] = bytes;
  };
  const jsonrpc = '2.0';
  if (method !== undefined) {
    const params = Object.assign(content, {
      ...(name !== undefined && { name }),
      arguments: createUniqueArguments(),
    });
    return {
      message: { jsonrpc, ...(id !== undefined && { id }), method, ...(hasParams && { params }) },
      setBytes,
    };
  }
  if (id === undefined) return undefined;
  if (error !== undefined) return { message: { jsonrpc, id, error: { ...error, data: content } }, setBytes };
  if (!hasResult) return undefined;
  return { message: { jsonrpc, id, result: Object.assign(content, isError && { isError }) }, setBytes };
}

/** Maximum length (UTF-16 units) of each string that is kept of params. */
const MAX_HEAD_CHARS = 512;

/** Replaces the params of an open call, of `bytes` bytes of JSON; keeps what identifies the call. */
export function toOutlinedParams(params: unknown, bytes: number): object {
  const heads = ['name', 'uri', 'cursor'].map((field) => [field, copyHead(params, field)] as const);
  return {
    [OUTLINED_BYTES]: bytes,
    ...Object.fromEntries(heads.filter(([, head]) => head !== '')),
    arguments: createUniqueArguments(),
  };
}

/** Serialises and parses the string, because a substring would keep the whole string in memory. */
function copyHead(params: unknown, field: string): string {
  return JSON.parse(JSON.stringify(textFieldOf(params, field).slice(0, MAX_HEAD_CHARS)));
}

/** Whether only the length of a call's arguments or result is known. */
export function isOutlined({ open, ending }: ObservedCall): boolean {
  const answer = ending.kind === 'result' ? ending.result : ending.error?.data;
  return outlinedBytesOf(open.params) !== undefined || outlinedBytesOf(answer) !== undefined;
}

/** Removes the placeholders for content that was not parsed. */
export function withoutPlaceholders(observed: ObservedCall, reduced: RedactedCall): RedactedCall {
  const { open, ending } = observed;
  const argumentsBytes = outlinedBytesOf(open.params);
  const resultBytes =
    ending.kind === 'result' ? outlinedBytesOf(ending.result) : outlinedBytesOf(ending.error?.data);
  if (argumentsBytes === undefined && resultBytes === undefined) return reduced;
  const { payload: _, ...rest } = reduced;
  return {
    ...rest,
    call: {
      ...reduced.call,
      ...(argumentsBytes !== undefined && { ...UNKNOWN_ARGUMENTS, argumentsBytes }),
      ...(resultBytes !== undefined && { ...UNKNOWN_RESULT, resultBytes }),
    },
  };
}

function outlinedBytesOf(value: unknown): number | undefined {
  return isOutlinedValue(value) ? value[OUTLINED_BYTES] : undefined;
}

function isOutlinedValue(value: unknown): value is OutlinedValue {
  return typeof value === 'object' && value !== null && OUTLINED_BYTES in value;
}

const UNKNOWN_ARGUMENTS = {
  argumentsFingerprint: '',
  argumentsMaskedFingerprint: '',
  argumentFingerprints: {},
  argumentsShape: '',
} satisfies Partial<ToolCall>;

const UNKNOWN_RESULT = {
  resultFingerprint: '',
  resultMaskedFingerprint: '',
  resultSimilarity: '',
  resultTrait: '',
  resultShape: '',
  resultLines: 0,
} satisfies Partial<ToolCall>;
