// One complete listing of a server's tools, with everything that costs time left until somebody asks: definitions are
// copied, ordered and hashed on first use, off the call's path.

import { createHash } from 'node:crypto';
import type { Catalogue, ToolAnnotations, ToolDefinition } from '../model/catalogue.ts';
import { canonicalText } from '../values/canonical.ts';
import { redactTool } from '../values/definition.ts';
import { isRecord } from './json-rpc.ts';

/** What one complete `tools/list` showed. All its methods are memoised. */
export interface Sighting {
  catalogue(): Catalogue;
  /** Whether a tool of that name was listed. */
  knows(tool: string): boolean;
  /** The listed input schema of a tool, as it came. */
  inputSchemaOf(tool: string): unknown;
  /** The listed output schema of a tool, as it came. */
  outputSchemaOf(tool: string): unknown;
  /** What the listing says of a tool's nature. */
  annotationsOf(tool: string): ToolAnnotations | undefined;
}

/** Makes a sighting of listed tools, which are kept by reference until they are first looked at. */
export function createSighting(tools: readonly unknown[]): Sighting {
  let made:
    | { readonly catalogue: Catalogue; readonly byName: ReadonlyMap<string, ToolDefinition> }
    | undefined;
  function look() {
    made ??= read(tools);
    return made;
  }
  return {
    catalogue: () => look().catalogue,
    knows: (tool) => look().byName.has(tool),
    inputSchemaOf: (tool) => look().byName.get(tool)?.inputSchema,
    outputSchemaOf: (tool) => look().byName.get(tool)?.outputSchema,
    annotationsOf: (tool) => look().byName.get(tool)?.annotations,
  };
}

function read(tools: readonly unknown[]) {
  const byName = new Map(
    tools.flatMap((tool) => toToolDefinition(tool) ?? []).map((tool) => [tool.name, tool]),
  );
  const definitions = [...byName.values()].map(redactTool).sort((a, b) => (a.name < b.name ? -1 : 1));
  return { catalogue: { hash: hashOf(definitions), tools: definitions }, byName };
}

function hashOf(definitions: readonly ToolDefinition[]): string {
  return createHash('sha256').update(canonicalText(definitions)).digest('hex').slice(0, 16);
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
    ...hint(value, 'readOnlyHint'),
    ...hint(value, 'destructiveHint'),
    ...hint(value, 'idempotentHint'),
    ...hint(value, 'openWorldHint'),
    ...volatileArguments(meta),
  };
  return Object.keys(annotations).length === 0 ? {} : { annotations };
}

/** Names in our own key of a tool's `_meta`: arguments whose values mean nothing for the answer. */
const META_VOLATILE_ARGUMENTS = 'toolscope/volatileArguments';
const MOST_VOLATILE = 32;

function volatileArguments(meta: unknown): Pick<ToolAnnotations, 'volatileArguments'> {
  const names = isRecord(meta) ? meta[META_VOLATILE_ARGUMENTS] : undefined;
  if (!Array.isArray(names)) return {};
  const said = names.filter((name) => typeof name === 'string').slice(0, MOST_VOLATILE);
  return said.length === 0 ? {} : { volatileArguments: said };
}

function hint<Name extends string>(value: Readonly<Record<string, unknown>>, name: Name) {
  const given = value[name];
  // The computed key is exactly Name; TypeScript widens it to an index signature.
  return (typeof given === 'boolean' ? { [name]: given } : {}) as { readonly [K in Name]?: boolean };
}
