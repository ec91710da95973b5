// A tool listing as `lint` and `check` use it, independent of its source.

import type { ToolDefinition } from '../../core/model/catalogue.ts';
import { createCatalogueSnapshot } from '../../core/observer/catalogue-snapshot.ts';

export interface ToolListing {
  /** Empty when the source does not contain it. */
  readonly serverName: string;
  readonly serverVersion: string;
  /** Path and text of the file, for locating lines; undefined for a server. */
  readonly file?: { readonly path: string; readonly text: string };
  readonly tools: readonly ToolDefinition[];
  /** The same as listed, with the fields that no rule reads. */
  readonly listed: readonly unknown[];
}

/** Skips entries that are not tools, as every client does. */
export function toToolDefinitions(tools: readonly unknown[]): readonly ToolDefinition[] {
  const byName = createCatalogueSnapshot(tools).catalogue().tools;
  const order = new Map(tools.map((tool, at) => [readListedName(tool), at]));
  return [...byName].sort((one, other) => (order.get(one.name) ?? 0) - (order.get(other.name) ?? 0));
}

const readListedName = (tool: unknown): unknown =>
  typeof tool === 'object' && tool !== null && 'name' in tool ? tool.name : '';
