// Ids for calls that are no span of the host: random, in the trace the client named if it named one.

import { randomFillSync } from 'node:crypto';
import type { CallStart, SpanIds } from '../../core/observer/observed-call.ts';

/** One system call for some 340 calls. */
const pool = Buffer.alloc(8_192);
let used = pool.length;

/** Makes the ids of a call: its parent's trace, the client's trace, or a new one. */
export function createSpanIds({ parent, traceParent }: CallStart): SpanIds {
  return {
    traceId: parent?.ids.traceId ?? traceParent?.traceId ?? randomHex(16),
    spanId: randomHex(8),
    parentSpanId: parent?.ids.spanId ?? traceParent?.spanId ?? '',
  };
}

function randomHex(bytes: number): string {
  if (used + bytes > pool.length) {
    randomFillSync(pool);
    used = 0;
  }
  const hex = pool.toString('hex', used, used + bytes);
  used += bytes;
  return hex;
}
