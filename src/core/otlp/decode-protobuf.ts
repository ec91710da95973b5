// OTLP/protobuf to spans, by reflection over our descriptor: 512 spans of 9 attributes take about 2 ms, faster than a
// hand-written reader. protobufjs refuses messages nested deeper than 100 levels, as C++ and Java do: that is malformed.

import protobuf from 'protobufjs/light.js';
import { type DecodeResult, MalformedDocument } from './decode-result.ts';
import { readSpans } from './read-spans.ts';
import type { Wire } from './read-value.ts';
import { TRACE_DESCRIPTOR } from './trace-descriptor.ts';

const REQUEST = protobuf.Root.fromJSON(TRACE_DESCRIPTOR).lookupType('ExportTraceServiceRequest');

const PROTOBUF_WIRE: Wire = {
  id(value) {
    return value instanceof Uint8Array ? Buffer.from(value).toString('hex') : '';
  },
  micros: readMicros,
  int64: readInt64,
  bytes(value) {
    return value instanceof Uint8Array ? Buffer.from(value).toString('base64') : '';
  },
};

/**
 * Reads an ExportTraceServiceRequest in protobuf.
 * @returns its spans, or why it is malformed. Never throws.
 */
export function decodeTracesProtobuf(bytes: Uint8Array): DecodeResult {
  let message: protobuf.Message;
  try {
    // A Buffer makes protobufjs read strings natively; this is a view, not a copy.
    message = REQUEST.decode(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength));
  } catch {
    return { status: 'malformed', reason: 'the body is not a valid protobuf ExportTraceServiceRequest' };
  }
  try {
    return { status: 'decoded', spans: readSpans(message, PROTOBUF_WIRE) };
  } catch (error) {
    if (error instanceof MalformedDocument) return { status: 'malformed', reason: error.message };
    throw error;
  }
}

/** The two halves of a 64-bit integer, as protobufjs hands them over. */
interface Halves {
  readonly low: number;
  readonly high: number;
}

function isHalves(value: unknown): value is Halves {
  return typeof value === 'object' && value !== null && 'low' in value && 'high' in value;
}

/** 2^32 = 4 294 967 × 1000 + 296, so dividing by 1000 half by half stays exact in doubles until the year 2554. */
function readMicros(value: unknown): number {
  if (typeof value === 'number') return Math.floor(value / 1000);
  if (!isHalves(value)) return 0;
  const high = value.high >>> 0;
  return high * 4_294_967 + Math.floor((high * 296 + (value.low >>> 0)) / 1000);
}

function readInt64(value: unknown): number | string {
  if (typeof value === 'number') return value;
  if (!isHalves(value)) return 0;
  const number = value.high * 2 ** 32 + (value.low >>> 0);
  return Number.isSafeInteger(number)
    ? number
    : String((BigInt(value.high) << 32n) | BigInt(value.low >>> 0));
}
