// Ids for calls that are not a span of the host: random, within the client's trace if it sent one.

import { randomFillSync } from 'node:crypto';
import type { CallStart, SpanIds } from '../../core/observer/observed-call.ts';

/** One system call provides random bytes for about 340 calls. */
const randomPool = Buffer.alloc(8_192);
let usedPoolBytes = randomPool.length;

/** Creates the ids of a call in its parent's trace, the client's trace, or a new one. */
export function createSpanIds({ parent, traceParent }: CallStart): SpanIds {
  return {
    traceId: parent?.ids.traceId ?? traceParent?.traceId ?? randomHex(16),
    spanId: randomHex(8),
    parentSpanId: parent?.ids.spanId ?? traceParent?.spanId ?? '',
  };
}

function randomHex(bytes: number): string {
  if (usedPoolBytes + bytes > randomPool.length) {
    randomFillSync(randomPool);
    usedPoolBytes = 0;
  }
  const hex = randomPool.toString('hex', usedPoolBytes, usedPoolBytes + bytes);
  usedPoolBytes += bytes;
  return hex;
}
