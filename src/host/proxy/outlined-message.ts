// A message in place of one that was too long to be parsed: what its outline says, and how long it was. What was in it is
// not known, and must not be taken for the same as anything else.

import type { ToolCall } from '../../core/model/tool-call.ts';
import type { ObservedCall } from '../../core/observer/observed-call.ts';
import type { Reduced } from '../../core/observer/reduce-call.ts';
import type { Outline } from './outline-scanner.ts';

/** On the params or the result of such a message: the bytes of its line. */
const OUTLINED_BYTES = Symbol('bytes of a line that was not parsed');

interface Outlined {
  [OUTLINED_BYTES]: number;
}

export interface OutlinedMessage {
  readonly message: object;
  /** Says how long the line was, once it has ended. */
  setBytes(bytes: number): void;
}

let count = 0;

/** Makes a JSON-RPC message of an outline; undefined where it says too little. */
export function toOutlinedMessage(outline: Outline): OutlinedMessage | undefined {
  const { id, method, name, hasParams, hasResult, isError, error } = outline;
  const content: Outlined = { [OUTLINED_BYTES]: 0 };
  const setBytes = (bytes: number): void => {
    content[OUTLINED_BYTES] = bytes;
  };
  const jsonrpc = '2.0';
  if (method !== undefined) {
    count += 1;
    // The guard tells requests apart by their arguments: these are like no others.
    const params = Object.assign(content, { ...(name !== undefined && { name }), arguments: { count } });
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

/** The call without what was made up for a message that was not parsed. */
export function withoutOutlined(observed: ObservedCall, reduced: Reduced): Reduced {
  const { open, ending } = observed;
  const argumentsBytes = bytesOf(open.params);
  const resultBytes = ending.kind === 'result' ? bytesOf(ending.result) : bytesOf(ending.error?.data);
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

function bytesOf(value: unknown): number | undefined {
  return isOutlined(value) ? value[OUTLINED_BYTES] : undefined;
}

function isOutlined(value: unknown): value is Outlined {
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
