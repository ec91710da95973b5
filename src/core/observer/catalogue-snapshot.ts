// One complete listing of a server's tools, with everything that costs time left until somebody asks: definitions are
// copied, ordered and hashed on first use, off the call's path.

import { createHash } from 'node:crypto';
import type { Catalogue, ToolAnnotations, ToolDefinition } from '../model/catalogue.ts';
import { toCanonicalText } from '../values/canonical-text.ts';
import { redactToolDefinition } from '../values/redact-tool-definition.ts';
import { isRecord } from './json-rpc.ts';

/** What one complete `tools/list` showed. All its methods are memoised. */
export interface CatalogueSnapshot {
  catalogue(): Catalogue;
  /** Whether a tool of that name was listed. */
  hasTool(tool: string): boolean;
  /** The listed input schema of a tool, as it came. */
  inputSchemaOf(tool: string): unknown;
  /** The listed output schema of a tool, as it came. */
  outputSchemaOf(tool: string): unknown;
  /** What the listing says of a tool's nature. */
  annotationsOf(tool: string): ToolAnnotations | undefined;
}

/** Makes a sighting of listed tools, which are kept by reference until they are first looked at. */
export function createCatalogueSnapshot(tools: readonly unknown[]): CatalogueSnapshot {
  let parsed:
    | { readonly catalogue: Catalogue; readonly byName: ReadonlyMap<string, ToolDefinition> }
    | undefined;
  function parseOnce() {
    parsed ??= parseListedTools(tools);
    return parsed;
  }
  return {
    catalogue: () => parseOnce().catalogue,
    hasTool: (tool) => parseOnce().byName.has(tool),
    inputSchemaOf: (tool) => parseOnce().byName.get(tool)?.inputSchema,
    outputSchemaOf: (tool) => parseOnce().byName.get(tool)?.outputSchema,
    annotationsOf: (tool) => parseOnce().byName.get(tool)?.annotations,
  };
}

function parseListedTools(tools: readonly unknown[]) {
  const byName = new Map(
    tools.flatMap((tool) => toToolDefinition(tool) ?? []).map((tool) => [tool.name, tool]),
  );
  const definitions = [...byName.values()]
    .map(redactToolDefinition)
    .sort((a, b) => (a.name < b.name ? -1 : 1));
  return { catalogue: { hash: hashOf(definitions), tools: definitions }, byName };
}

function hashOf(definitions: readonly ToolDefinition[]): string {
  return createHash('sha256').update(toCanonicalText(definitions)).digest('hex').slice(0, 16);
}

/** Keeps the fields of a listed tool that describe it; the rest of `_meta`, icons and unknown fields would change the hash for nothing. */
function toToolDefinition(tool: unknown): ToolDefinition | undefined {
  if (!isRecord(tool) || typeof tool['name'] !== 'string') return undefined;
  return {
    name: tool['name'],
    ...(typeof tool['title'] === 'string' && { title: tool['title'] }),
    ...(typeof tool['description'] === 'string' && { description: tool['description'] }),
    ...(tool['inputSchema'] !== undefined && { inputSchema: tool['inputSchema'] }),
    ...(tool['outputSchema'] !== undefined && { outputSchema: tool['outputSchema'] }),
    ...toAnnotations(tool['annotations'], tool['_meta']),
  };
}

function toAnnotations(given: unknown, meta: unknown): { readonly annotations?: ToolAnnotations } {
  const value = isRecord(given) ? given : {};
  const title = value['title'];
  const annotations = {
    ...(typeof title === 'string' && { title }),
    ...toHint(value, 'readOnlyHint'),
    ...toHint(value, 'destructiveHint'),
    ...toHint(value, 'idempotentHint'),
    ...toHint(value, 'openWorldHint'),
    ...toVolatileArguments(meta),
  };
  return Object.keys(annotations).length === 0 ? {} : { annotations };
}

/** Names in our own key of a tool's `_meta`: arguments whose values mean nothing for the answer. */
const META_VOLATILE_ARGUMENTS = 'toolscope/volatileArguments';
const MAX_VOLATILE_ARGUMENTS = 32;

function toVolatileArguments(meta: unknown): Pick<ToolAnnotations, 'volatileArguments'> {
  const names = isRecord(meta) ? meta[META_VOLATILE_ARGUMENTS] : undefined;
  if (!Array.isArray(names)) return {};
  const listed = names.filter((name) => typeof name === 'string').slice(0, MAX_VOLATILE_ARGUMENTS);
  return listed.length === 0 ? {} : { volatileArguments: listed };
}

function toHint<Name extends string>(value: Readonly<Record<string, unknown>>, name: Name) {
  const given = value[name];
  // The computed key is exactly Name; TypeScript widens it to an index signature.
  return (typeof given === 'boolean' ? { [name]: given } : {}) as { readonly [K in Name]?: boolean };
}
