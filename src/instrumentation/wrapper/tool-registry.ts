// The catalogue of an McpServer before anybody listed it. Its `tools/list` handler is asked only when it is certainly
// the SDK's own, which reads a table and nothing else; a host's own handler is never called by us. So it is known only
// for servers that were observed before their first tool was registered, and otherwise with the first listing.

import { type CatalogueSnapshot, createCatalogueSnapshot } from '../../core/observer/catalogue-snapshot.ts';
import { fieldOf, isRecord } from '../../core/observer/json-rpc.ts';
import { METHOD_TOOLS_LIST } from '../../core/semconv/conventions.ts';
import { overrideMethod } from './hook-transport.ts';
import { neverThrow } from './never-throw.ts';
import type { AnyFunction } from './sdk-shapes.ts';

export interface ToolRegistry {
  /** Cheap text that changes with the set of tools; '' while nothing is known. */
  signature(): string;
  /** Reads the catalogue; undefined where it is not certain. */
  read(): Promise<CatalogueSnapshot | undefined>;
}

/** Watches an McpServer install its own tool handlers. */
export function watchToolRegistry(mcpServer: object, lowLevel: object): ToolRegistry {
  let ownHandler: unknown;
  const original: unknown = Reflect.get(mcpServer, 'setToolRequestHandlers');
  if (typeof original === 'function' && findListHandler(lowLevel) === undefined) {
    // Any function may be applied to anything.
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
