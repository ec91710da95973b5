// Limits the bytes of params of open calls, because unanswered calls can accumulate. The params of the oldest
// are dropped: they are still counted, but their arguments are not described.

import type { OpenCall } from '../../core/observer/observed-call.ts';
import { estimateSize } from '../../core/values/value-size.ts';
import { LazyParams } from './lazy-params.ts';
import { toOutlinedParams } from './outlined-message.ts';

const MAX_OPEN_BYTES = 16 * 1024 * 1024;

/** Smaller params are not counted, because there are at most 10,000 open calls. */
const MIN_COUNTED_BYTES = 1_024;

export interface OpenParamsBudget {
  onOpened(call: OpenCall): void;
  onEnded(call: OpenCall): void;
  readonly bytes: number;
}

export function createOpenParamsBudget(maxBytes: number = MAX_OPEN_BYTES): OpenParamsBudget {
  const counted = new Map<OpenCall, number>();
  let bytes = 0;
  /** Counted only when the next call opens: most calls are answered by then and cost nothing. */
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
