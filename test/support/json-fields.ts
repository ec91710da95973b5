// The fields of JSON values and of JSON schemas in one notation: `totals.errorRate` has the types `null` and `number`, the
// elements of `tools` are `tools[]`, the values of a record `counts{}`. A choice of words has each of them, in quotes, as a type.
import type { z } from 'zod';

export type JsonSchema = z.core.JSONSchema.BaseSchema;
/** Types by path, sorted. */
export type FieldTypes = Readonly<Record<string, readonly string[]>>;

class FieldCollector {
  readonly #types = new Map<string, Set<string>>();

  add(path: string, type: string): void {
    if (path !== '') this.#types.set(path, (this.#types.get(path) ?? new Set()).add(type));
  }

  result(): FieldTypes {
    return Object.fromEntries([...this.#types].map(([path, types]) => [path, [...types].toSorted()]));
  }
}

const join = (path: string, name: string): string => (path === '' ? name : `${path}.${name}`);

/** Every field that a response of this schema may have, optional ones too. */
export function listSchemaFields(schema: JsonSchema): FieldTypes {
  const fields = new FieldCollector();
  collectSchema(schema, { path: '', fields });
  return fields.result();
}

function collectSchema(
  schema: JsonSchema,
  { path, fields }: { readonly path: string; readonly fields: FieldCollector },
): void {
  for (const type of listTypes(schema)) fields.add(path, type);
  for (const [part, partPath] of listParts(schema, path)) collectSchema(part, { path: partPath, fields });
}

function listTypes({ type, enum: words, const: word }: JsonSchema): string[] {
  const choice = words ?? (word === undefined ? undefined : [word]);
  return choice
    ? choice.map((one) => JSON.stringify(one))
    : [type ?? []].flat().map((name) => (name === 'integer' ? 'number' : name));
}

/** The schemas that a schema consists of, with their paths. */
function listParts(schema: JsonSchema, path: string): [JsonSchema, string][] {
  const { anyOf = [], properties = {}, items = [], prefixItems = [], additionalProperties } = schema;
  const parts: [unknown, string][] = [
    ...anyOf.map((option): [unknown, string] => [option, path]),
    ...Object.entries(properties).map(([name, property]): [unknown, string] => [property, join(path, name)]),
    ...[items, prefixItems].flat().map((element): [unknown, string] => [element, `${path}[]`]),
    [additionalProperties, `${path}{}`],
  ];
  return parts.filter((part): part is [JsonSchema, string] => typeof part[0] === 'object');
}

/** Every field of these values with the types that it has in them. */
export function listValueFields(values: readonly unknown[]): FieldTypes {
  const fields = new FieldCollector();
  for (const value of values) collectValue(value, { path: '', fields });
  return fields.result();
}

function collectValue(
  value: unknown,
  { path, fields }: { readonly path: string; readonly fields: FieldCollector },
): void {
  fields.add(path, value === null ? 'null' : Array.isArray(value) ? 'array' : typeof value);
  if (Array.isArray(value)) {
    for (const element of value) collectValue(element, { path: `${path}[]`, fields });
  } else if (typeof value === 'object' && value !== null) {
    for (const [name, property] of Object.entries(value))
      collectValue(property, { path: join(path, name), fields });
  }
}
