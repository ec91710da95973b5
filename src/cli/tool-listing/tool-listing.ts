// A listing as `lint` and `check` look at it, wherever it came from.

import type { ToolDefinition } from '../../core/model/catalogue.ts';
import { createCatalogueSnapshot } from '../../core/observer/catalogue-snapshot.ts';

export interface ToolListing {
  /** Empty where the source does not say. */
  readonly serverName: string;
  readonly serverVersion: string;
  /** Text of the file, to find lines in; undefined of a server. */
  readonly file?: { readonly path: string; readonly text: string };
  readonly tools: readonly ToolDefinition[];
}

/** What is no tool at all is left out, as every client does. */
export function toToolDefinitions(tools: readonly unknown[]): readonly ToolDefinition[] {
  const byName = createCatalogueSnapshot(tools).catalogue().tools;
  const order = new Map(tools.map((tool, at) => [readListedName(tool), at]));
  return [...byName].sort((one, other) => (order.get(one.name) ?? 0) - (order.get(other.name) ?? 0));
}

const readListedName = (tool: unknown): unknown =>
  typeof tool === 'object' && tool !== null && 'name' in tool ? tool.name : '';
