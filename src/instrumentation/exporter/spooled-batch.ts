// What a record of the spool holds, and how a request is made of it again: the inside of `resourceSpans`, as it would
// have been sent, so that nothing has to be parsed, and nothing can be in a file that was not to leave.

import { joinSpansJson } from '../../core/otlp/encode-json.ts';
import { scanSegment } from '../../segment-log/frame.ts';
import type { EncodedCall } from './call-queue.ts';

const BODY_START = Buffer.from('{"resourceSpans":[');
const BODY_SEPARATOR = Buffer.from(',');
const BODY_END = Buffer.from(']}');

export interface SpooledBatch {
  /** An ExportTraceServiceRequest, JSON. */
  readonly body: Uint8Array;
  /** Calls in it; 0 when nothing of the segment is intact. */
  readonly calls: number;
  /** Damaged stretches of the segment; what they held is not in it. */
  readonly damaged: number;
}

/** The payload of a record. */
export function encodeRecord(calls: readonly EncodedCall[]): Uint8Array {
  return joinSpansJson(calls).subarray(BODY_START.length, -BODY_END.length);
}

/** The request that a segment holds, as far as it is intact. */
export function decodeBatch(content: Uint8Array, base: number): SpooledBatch {
  const { records, corruptedRecords, tailBytes } = scanSegment(content, base);
  const pieces = records.flatMap(({ payload }, at) => (at === 0 ? [payload] : [BODY_SEPARATOR, payload]));
  return {
    body: Buffer.concat([BODY_START, ...pieces, BODY_END]),
    calls: records.reduce((sum, { count }) => sum + count, 0),
    damaged: corruptedRecords + (tailBytes > 0 ? 1 : 0),
  };
}
