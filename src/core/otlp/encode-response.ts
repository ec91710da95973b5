// What a receiver says back, in the encoding of the request: ExportTraceServiceResponse and google.rpc.Status.

import protobuf from 'protobufjs/light.js';
import { TRACE_DESCRIPTOR } from './trace-descriptor.ts';

export type OtlpEncoding = 'json' | 'protobuf';

export const CONTENT_TYPE_BY_ENCODING: Readonly<Record<OtlpEncoding, string>> = {
  json: 'application/json',
  protobuf: 'application/x-protobuf',
};

/** Codes of google.rpc.Status that we answer with. */
export const RPC_CODES = {
  invalidArgument: 3,
  deadlineExceeded: 4,
  resourceExhausted: 8,
  unimplemented: 12,
  internal: 13,
  unavailable: 14,
  unauthenticated: 16,
} as const;

export interface PartialSuccess {
  readonly rejectedSpans: number;
  /** What was wrong, for the person who runs the sender. */
  readonly errorMessage: string;
}

const ROOT = protobuf.Root.fromJSON(TRACE_DESCRIPTOR);
const RESPONSE = ROOT.lookupType('ExportTraceServiceResponse');
const STATUS = ROOT.lookupType('RpcStatus');

/**
 * Encodes the answer to a request that was taken.
 * @param partial what was rejected of it; left out, the field is unset, which by the protocol means full success
 */
export function encodeResponse(encoding: OtlpEncoding, partial?: PartialSuccess): Uint8Array {
  const body = partial === undefined ? {} : { partialSuccess: partial };
  if (encoding === 'protobuf') return RESPONSE.encode(RESPONSE.fromObject(body)).finish();
  const json =
    partial === undefined
      ? {}
      : { partialSuccess: { ...partial, rejectedSpans: String(partial.rejectedSpans) } };
  return Buffer.from(JSON.stringify(json));
}

/** Encodes a google.rpc.Status for a request that was not taken. */
export function encodeStatus(
  encoding: OtlpEncoding,
  status: { readonly code: number; readonly message: string },
): Uint8Array {
  if (encoding === 'protobuf') return STATUS.encode(STATUS.fromObject(status)).finish();
  return Buffer.from(JSON.stringify(status));
}
