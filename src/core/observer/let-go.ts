// What a call that waits is let go of when there is no room for it: its result, and arguments as long as results are. What they
// came to is noted first, so that the call still counts, with its outcome and its code.

import { estimateSize } from '../values/value-size.ts';
import { textOf } from './json-rpc.ts';
import type { ObservedCall } from './observed-call.ts';
import { judgeCall, valuesOf } from './reduce-call.ts';

/** Heap bytes of arguments that may stay. */
const SMALL_ARGUMENTS = 16_384;
/** UTF-16 units kept of what names a call. */
const NAME_LIMIT = 512;

/** Heap bytes, about, that the raw values of a call take while it waits. */
export function heapBytesOf({ open, ending }: ObservedCall): number {
  return estimateSize(open.params).heapBytes + estimateSize(ending.result ?? ending.error).heapBytes;
}

/** Lets go of the values of a call, once and for all; whoever holds the call then holds no more than its summary. */
export function letGo(observed: ObservedCall): void {
  if (observed.summary !== undefined) return;
  const { open, ending } = observed;
  const values = valuesOf(observed);
  const isLarge = estimateSize(open.params).heapBytes > SMALL_ARGUMENTS;
  observed.summary = {
    judgement: copyOf(judgeCall(observed)),
    argumentsBytes: isLarge ? estimateSize(values.arguments).jsonBytes : undefined,
    resultBytes: values.result === undefined ? 0 : estimateSize(values.result).jsonBytes,
  };
  observed.ending = { method: ending.method, kind: ending.kind };
  if (isLarge) open.params = headsOf(open.params);
}

let count = 0;

/** What names the call, and arguments like no others: a guard that asks for them must not take the call for another. */
function headsOf(params: unknown): object {
  count += 1;
  return { name: headOf(params, 'name'), uri: headOf(params, 'uri'), arguments: { count } };
}

function headOf(params: unknown, name: string): string {
  return copyOf(textOf(params, name).slice(0, NAME_LIMIT));
}

/** A part of a text holds on to the whole of it; what was written and read again does not. */
function copyOf<T extends object | string>(value: T): T {
  return JSON.parse(JSON.stringify(value));
}
