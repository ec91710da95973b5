// Hooks an McpServer for what messages lack: the thrown exception (both SDKs send only its text) and failed
// input or output validation. The private methods are feature-detected, the same since v1 1.24 and in v2; the
// fallback is the response text. Promises are observed, not wrapped, so no tick is added.

import type { CallNotes } from '../../core/observer/observed-call.ts';
import { getActiveCall } from './active-call.ts';
import { overrideMethod } from './hook-transport.ts';
import { neverThrow } from './never-throw.ts';
import type { AnyFunction } from './sdk-shapes.ts';

type TakeNote = (notes: CallNotes, error: unknown) => void;

/** Hooks the tool methods of an McpServer, if it has them. */
export function hookTools(mcpServer: object): void {
  hookToolMethod(mcpServer, 'executeToolHandler', noteException);
  hookToolMethod(mcpServer, 'validateToolInput', (notes) => {
    notes.validation = 'input';
  });
  hookToolMethod(mcpServer, 'validateToolOutput', (notes) => {
    notes.validation = 'output';
  });
}

function hookToolMethod(mcpServer: object, name: string, note: TakeNote): void {
  const original: unknown = Reflect.get(mcpServer, name);
  if (typeof original !== 'function') return;
  // Safe: any function can be applied to any arguments.
  const method = original as AnyFunction;
  overrideMethod(mcpServer, name, function observed(...parameters) {
    const call = getActiveCall();
    const returned = Reflect.apply(method, this, parameters);
    if (call !== undefined && returned instanceof Promise) {
      returned.then(undefined, (error: unknown) => neverThrow(() => note(call.notes, error)));
    }
    return returned;
  });
}

function noteException(notes: CallNotes, error: unknown): void {
  const code = typeof error === 'object' && error !== null && 'code' in error ? error.code : undefined;
  notes.exception = {
    type: exceptionTypeOf(error),
    message: exceptionMessageOf(error),
    ...((typeof code === 'string' || typeof code === 'number') && { code }),
  };
}

/** Returns the class of a thrown value; for a non-object, its type. */
function exceptionTypeOf(error: unknown): string {
  if (typeof error !== 'object' || error === null) return error === null ? 'null' : typeof error;
  return error.constructor?.name || 'Object';
}

function exceptionMessageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
