// Encodes spool records and turns them back into requests. A record holds the content of `resourceSpans`
// exactly as it would be sent, so nothing has to be parsed, and a file cannot contain anything that must not
// leave the process.

import { joinSpansJson } from '../../core/otlp/encode-json.ts';
import { scanSegment } from '../../segment-log/frame.ts';
import type { EncodedCall } from './call-queue.ts';

const BODY_START = Buffer.from('{"resourceSpans":[');
const BODY_SEPARATOR = Buffer.from(',');
const BODY_END = Buffer.from(']}');

export interface SpooledBatch {
  /** An ExportTraceServiceRequest in JSON. */
  readonly body: Uint8Array;
  /** Number of calls; 0 when no part of the segment is intact. */
  readonly calls: number;
  /** Damaged sections of the segment; their calls are missing from the batch. */
  readonly damaged: number;
}

export function encodeRecord(calls: readonly EncodedCall[]): Uint8Array {
  return joinSpansJson(calls).subarray(BODY_START.length, -BODY_END.length);
}

/** Returns the request with all intact records of a segment. */
export function decodeBatch(content: Uint8Array, base: number): SpooledBatch {
  const { records, corruptedRecords, tailBytes } = scanSegment(content, base);
  const pieces = records.flatMap(({ payload }, at) => (at === 0 ? [payload] : [BODY_SEPARATOR, payload]));
  return {
    body: Buffer.concat([BODY_START, ...pieces, BODY_END]),
    calls: records.reduce((sum, { count }) => sum + count, 0),
    damaged: corruptedRecords + (tailBytes > 0 ? 1 : 0),
  };
}
