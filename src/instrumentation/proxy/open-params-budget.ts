// What the params of calls that wait for their answer take, bounded in bytes: of calls that nobody answers there may be many,
// and one that has waited long is the least likely to be answered. It is counted all the same; its arguments are not described.

import type { OpenCall } from '../../core/observer/observed-call.ts';
import { estimateSize } from '../../core/values/value-size.ts';
import { LazyParams } from './lazy-params.ts';
import { toOutlinedParams } from './outlined-message.ts';

/** Bytes that the params of all open calls may take, about. */
const MAX_OPEN_BYTES = 16 * 1024 * 1024;

/** Params of less are not counted: there are 10,000 open calls at most. */
const MIN_COUNTED_BYTES = 1_024;

export interface OpenParamsBudget {
  /** A call was opened. */
  onOpened(call: OpenCall): void;
  /** A call has ended; its params are no matter of this room any more. */
  onEnded(call: OpenCall): void;
  /** Bytes that are counted now. */
  readonly bytes: number;
}

/** Creates a room for the params of open calls, empty. */
export function createOpenParamsBudget(maxBytes: number = MAX_OPEN_BYTES): OpenParamsBudget {
  const counted = new Map<OpenCall, number>();
  let bytes = 0;
  /** Looked at when the next one comes: most calls are answered by then, and cost nothing. */
  let newest: OpenCall | undefined;

  function count(call: OpenCall): void {
    const taken = estimateParamsBytes(call.params);
    if (taken < MIN_COUNTED_BYTES) return;
    counted.set(call, taken);
    bytes += taken;
    for (const oldest of counted.keys()) {
      if (bytes <= maxBytes) return;
      forget(oldest);
      releaseParams(oldest);
    }
  }

  function forget(call: OpenCall): void {
    bytes -= counted.get(call) ?? 0;
    counted.delete(call);
  }

  return {
    onOpened(call) {
      if (newest !== undefined) count(newest);
      newest = call;
    },
    onEnded(call) {
      if (newest === call) newest = undefined;
      else forget(call);
    },
    get bytes() {
      return bytes;
    },
  };
}

function estimateParamsBytes(params: unknown): number {
  return params instanceof LazyParams ? params.bytes : estimateSize(params).heapBytes;
}

function releaseParams(call: OpenCall): void {
  if (call.params instanceof LazyParams) call.params.release();
  else call.params = toOutlinedParams(call.params, estimateSize(call.params).jsonBytes);
}
