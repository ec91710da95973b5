// Hooks the private methods of an McpServer for what messages lack: the thrown exception (both SDKs send only
// its text), failed validation, and the catalogue before the first listing. The methods are feature-detected,
// the same since v1 1.24 and in v2. Promises are observed, not wrapped, so no tick is added.

import { type CatalogueSnapshot, createCatalogueSnapshot } from '../../core/observer/catalogue-snapshot.ts';
import { fieldOf, isRecord } from '../../core/observer/json-rpc.ts';
import type { CallNotes } from '../../core/observer/observed-call.ts';
import { METHOD_TOOLS_LIST } from '../../core/semconv/conventions.ts';
import { getActiveCall } from './active-call.ts';
import { overrideMethod } from './hook-transport.ts';
import { neverThrow } from './never-throw.ts';
import type { AnyFunction } from './sdk-shapes.ts';

type TakeNote = (notes: CallNotes, error: unknown) => void;

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

function exceptionTypeOf(error: unknown): string {
  if (typeof error !== 'object' || error === null) return error === null ? 'null' : typeof error;
  return error.constructor?.name || 'Object';
}

function exceptionMessageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

export interface ToolRegistry {
  /** A string, cheap to compute, that changes with the set of tools; '' while unknown. */
  signature(): string;
  /** Reads the catalogue; undefined when it is not certain. */
  read(): Promise<CatalogueSnapshot | undefined>;
}

/**
 * Only the SDK's own `tools/list` handler, which reads a table, is called, never a host's. So the catalogue
 * is
 * known before the first listing only if the server was observed before its first tool was registered.
 */
export function watchToolRegistry(mcpServer: object, lowLevel: object): ToolRegistry {
  let ownHandler: unknown;
  const original: unknown = Reflect.get(mcpServer, 'setToolRequestHandlers');
  if (typeof original === 'function' && findListHandler(lowLevel) === undefined) {
    // Safe: any function can be applied to any arguments.
    const method = original as AnyFunction;
    overrideMethod(mcpServer, 'setToolRequestHandlers', function install(...parameters) {
      const before = findListHandler(lowLevel);
      const returned = Reflect.apply(method, this, parameters);
      neverThrow(() => {
        if (before === undefined) ownHandler = findListHandler(lowLevel);
      });
      return returned;
    });
  }
  function current(): AnyFunction | undefined {
    const handler = findListHandler(lowLevel);
    return handler !== undefined && handler === ownHandler ? handler : undefined;
  }
  return {
    signature: () => (current() === undefined ? '' : joinToolNames(mcpServer)),
    async read() {
      const result = await current()?.({ method: METHOD_TOOLS_LIST });
      const tools = fieldOf(result, 'tools');
      return Array.isArray(tools) ? createCatalogueSnapshot(tools) : undefined;
    },
  };
}

function findListHandler(lowLevel: object): AnyFunction | undefined {
  const handlers: unknown = Reflect.get(lowLevel, '_requestHandlers');
  return handlers instanceof Map ? handlers.get(METHOD_TOOLS_LIST) : undefined;
}

function joinToolNames(mcpServer: object): string {
  const tools: unknown = Reflect.get(mcpServer, '_registeredTools');
  return isRecord(tools) ? Object.keys(tools).join('\n') : '';
}
