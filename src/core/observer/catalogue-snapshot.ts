// One complete listing of a server's tools. Costly work is lazy: definitions are copied, sorted and hashed on
// first use, outside the call path.

import { createHash } from 'node:crypto';
import type { Catalogue, ToolAnnotations, ToolDefinition } from '../model/catalogue.ts';
import { toCanonicalText } from '../values/canonical-text.ts';
import { redactToolDefinition } from '../values/redact-tool-definition.ts';
import { isRecord } from './json-rpc.ts';

/** The content of one complete `tools/list`. All methods are memoised. */
export interface CatalogueSnapshot {
  catalogue(): Catalogue;
  /** Whether a tool of that name was listed. */
  hasTool(tool: string): boolean;
  /** The listed input schema of a tool, unchanged. */
  inputSchemaOf(tool: string): unknown;
  /** The listed output schema of a tool, unchanged. */
  outputSchemaOf(tool: string): unknown;
  /** The tool's listed annotations. */
  annotationsOf(tool: string): ToolAnnotations | undefined;
}

/** Creates a snapshot of listed tools, which are kept by reference until first use. */
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

/**
 * Keeps the descriptive fields of a listed tool. The rest of `_meta`, icons and unknown fields would change
 * the hash needlessly.
 */
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

/** Key in a tool's `_meta` that names arguments whose values do not affect the answer. */
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
