// What a call that waits is let go of when there is no room for it: its result, and arguments as long as results are. What they
// came to is noted first, so that the call still counts, with its outcome and its code.

import { estimateSize } from '../values/value-size.ts';
import { textFieldOf } from './json-rpc.ts';
import type { ObservedCall } from './observed-call.ts';
import { classifyCall, valuesOf } from './redact-call.ts';

/** Heap bytes of arguments that may stay. */
const MAX_KEPT_ARGUMENT_BYTES = 16_384;
/** UTF-16 units kept of what names a call. */
const MAX_NAME_LENGTH = 512;

/** Heap bytes, about, that the raw values of a call take while it waits. */
export function heapBytesOf({ open, ending }: ObservedCall): number {
  return estimateSize(open.params).heapBytes + estimateSize(ending.result ?? ending.error).heapBytes;
}

/** Lets go of the values of a call, once and for all; whoever holds the call then holds no more than its summary. */
export function releaseValues(observed: ObservedCall): void {
  if (observed.summary !== undefined) return;
  const { open, ending } = observed;
  const values = valuesOf(observed);
  const isLarge = estimateSize(open.params).heapBytes > MAX_KEPT_ARGUMENT_BYTES;
  observed.summary = {
    classification: detachedCopy(classifyCall(observed)),
    argumentsBytes: isLarge ? estimateSize(values.arguments).jsonBytes : undefined,
    resultBytes: values.result === undefined ? 0 : estimateSize(values.result).jsonBytes,
  };
  observed.ending = { method: ending.method, kind: ending.kind };
  if (isLarge) open.params = truncateParams(open.params);
}

let releasedCount = 0;

/** What names the call, and arguments like no others: a guard that asks for them must not take the call for another. */
function truncateParams(params: unknown): object {
  releasedCount += 1;
  return {
    name: truncateField(params, 'name'),
    uri: truncateField(params, 'uri'),
    arguments: { count: releasedCount },
  };
}

function truncateField(params: unknown, name: string): string {
  return detachedCopy(textFieldOf(params, name).slice(0, MAX_NAME_LENGTH));
}

/** A part of a text holds on to the whole of it; what was written and read again does not. */
function detachedCopy<T extends object | string>(value: T): T {
  return JSON.parse(JSON.stringify(value));
}
