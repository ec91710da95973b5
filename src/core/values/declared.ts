// What a JSON Schema declares at a place of a value: property names, enum values and defaults are the server author's words
// and may be said; everything else at that place is the caller's. Tolerant: a schema we cannot follow declares nothing.

import { isRecord } from './is-record.ts';

/** Alternatives (`anyOf`, `$ref` …) looked at for one place. */
const ALTERNATIVE_LIMIT = 24;

/** A place in a schema: all subschemas that may apply there. */
export interface Place {
  readonly root: unknown;
  readonly schemas: readonly Readonly<Record<string, unknown>>[];
}

/** The top of a schema; `undefined` and anything that is no schema declare nothing. */
export function placeOf(schema: unknown): Place {
  return { root: schema, schemas: expand([schema], schema) };
}

/** The place of a property, through `properties` only: pattern and additional properties declare no names. */
export function propertyPlace(place: Place, name: string): Place {
  const found = place.schemas.flatMap(({ properties }) =>
    isRecord(properties) && Object.hasOwn(properties, name) ? [properties[name]] : [],
  );
  if (found.length > 0) return { root: place.root, schemas: expand(found, place.root) };
  const additional = place.schemas.map(({ additionalProperties }) => additionalProperties);
  return { root: place.root, schemas: expand(additional, place.root) };
}

/** The place of an array's items. */
export function itemPlace(place: Place): Place {
  const items = place.schemas.flatMap(({ items: one, prefixItems }) => [
    one,
    ...(Array.isArray(prefixItems) ? prefixItems : []),
  ]);
  return { root: place.root, schemas: expand(items, place.root) };
}

/** Whether `properties` at this place has that name. */
export function declaresProperty(place: Place, name: string): boolean {
  return place.schemas.some(({ properties }) => isRecord(properties) && Object.hasOwn(properties, name));
}

/** Whether a value is one of the `enum` or `const` values declared at this place, or the `default`. */
export function declaresValue(place: Place, value: unknown): boolean {
  return place.schemas.some(
    (schema) =>
      (Array.isArray(schema['enum']) && schema['enum'].includes(value)) ||
      (Object.hasOwn(schema, 'const') && schema['const'] === value) ||
      (Object.hasOwn(schema, 'default') && schema['default'] === value),
  );
}

/** Whether a string at this place may hold JSON by the schema's own word. */
export function declaresJson(place: Place): boolean {
  return place.schemas.some((schema) => schema['contentMediaType'] === 'application/json');
}

/**
 * Property names and string enum values anywhere in a schema: the words an error template may keep.
 * @returns at most 400 of them, breadth first.
 */
export function declaredWords(schema: unknown): readonly string[] {
  const words = new Set<string>();
  let level: readonly Place[] = [placeOf(schema)];
  for (let depth = 0; depth < 5 && words.size < 400; depth++) {
    for (const place of level) for (const word of wordsAt(place)) words.add(word);
    level = level.flatMap(placesBelow).slice(0, 100);
  }
  return [...words].slice(0, 400);
}

function wordsAt(place: Place): string[] {
  return place.schemas.flatMap((schema) => [
    ...(isRecord(schema['properties']) ? Object.keys(schema['properties']) : []),
    ...(Array.isArray(schema['enum']) ? schema['enum'] : [schema['const']]).filter(
      (value) => typeof value === 'string' && value.length <= 64,
    ),
  ]);
}

function placesBelow(place: Place): Place[] {
  const names = place.schemas.flatMap(({ properties }) =>
    isRecord(properties) ? Object.keys(properties) : [],
  );
  const items = itemPlace(place);
  return [
    ...names.map((name) => propertyPlace(place, name)),
    ...(items.schemas.length > 0 ? [items] : []),
  ].filter(({ schemas }) => schemas.length > 0);
}

/** Follows `$ref` into the same document and spreads `anyOf`, `oneOf`, `allOf`. */
function expand(schemas: readonly unknown[], root: unknown): Readonly<Record<string, unknown>>[] {
  const found: Record<string, unknown>[] = [];
  const waiting: unknown[] = [...schemas];
  for (const schema of waiting) {
    if (found.length >= ALTERNATIVE_LIMIT) break;
    if (!isRecord(schema) || found.includes(schema)) continue;
    found.push(schema);
    for (const key of ['anyOf', 'oneOf', 'allOf'])
      if (Array.isArray(schema[key])) waiting.push(...schema[key].slice(0, ALTERNATIVE_LIMIT));
    if (typeof schema['$ref'] === 'string') waiting.push(resolve(schema['$ref'], root));
  }
  return found;
}

function resolve(reference: string, root: unknown): unknown {
  if (!reference.startsWith('#')) return undefined;
  return reference
    .slice(1)
    .split('/')
    .filter((step) => step !== '')
    .map((step) => step.replaceAll('~1', '/').replaceAll('~0', '~'))
    .reduce<unknown>((at, step) => (isRecord(at) && Object.hasOwn(at, step) ? at[step] : undefined), root);
}
