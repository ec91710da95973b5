// Reads an McpServer's catalogue before its first listing. Only the SDK's own `tools/list` handler, which
// just reads a table, is called, never a host's. So the catalogue is known early only if the server was
// observed before its first tool was registered; otherwise it follows with the first listing.

import { type CatalogueSnapshot, createCatalogueSnapshot } from '../../core/observer/catalogue-snapshot.ts';
import { fieldOf, isRecord } from '../../core/observer/json-rpc.ts';
import { METHOD_TOOLS_LIST } from '../../core/semconv/conventions.ts';
import { overrideMethod } from './hook-transport.ts';
import { neverThrow } from './never-throw.ts';
import type { AnyFunction } from './sdk-shapes.ts';

export interface ToolRegistry {
  /** A string, cheap to compute, that changes with the set of tools; '' while unknown. */
  signature(): string;
  /** Reads the catalogue; undefined when it is not certain. */
  read(): Promise<CatalogueSnapshot | undefined>;
}

/** Observes when an McpServer installs its own tool handlers. */
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
