// The arguments that a definition declares, flat and by path. A schema that cannot be resolved declares nothing.

import type { ToolDefinition } from '../model/catalogue.ts';
import { isRecord } from '../values/is-record.ts';
import {
  type SchemaLocation,
  toItemLocation,
  toPropertyLocation,
  toSchemaLocation,
} from '../values/schema-location.ts';

type Schema = Readonly<Record<string, unknown>>;

/** Maximum depth. */
const MAX_DEPTH = 5;
/** Maximum arguments of one tool. */
const MAX_ARGUMENTS = 300;

export interface DeclaredArgument {
  /** `limit`, `filter.status`, `items[].sku`. */
  readonly path: string;
  /** Last name of the path. */
  readonly name: string;
  /** JSON pointer into the definition. */
  readonly pointer: string;
  /** The subschema as written at that pointer. */
  readonly schema: Schema;
  /** It and every alternative of it (`anyOf`, `$ref` …). */
  readonly schemas: readonly Schema[];
  readonly required: boolean;
  /** 0 at the top. */
  readonly depth: number;
}

/** Arguments of a tool, parents before children. */
export function declaredArguments({ inputSchema }: ToolDefinition): readonly DeclaredArgument[] {
  const found: DeclaredArgument[] = [];
  collectArguments(toSchemaLocation(inputSchema), { found, path: '', pointer: '/inputSchema', depth: 0 });
  return found;
}

/** The declared argument at a path from traffic, whose indices may be missing or numbers. */
export function findArgument(tool: ToolDefinition, path: string): DeclaredArgument | undefined {
  const wanted = withoutIndices(path);
  return declaredArguments(tool).find((argument) => withoutIndices(argument.path) === wanted);
}

const withoutIndices = (path: string): string => path.replace(/\[\d*\]/g, '').replace(/\.\d+(?=\.|$)/g, '');

/** JSON types of an argument, over all its alternatives. */
export function typesOf({ schemas }: DeclaredArgument): ReadonlySet<string> {
  return new Set(
    schemas.flatMap(({ type }) =>
      (Array.isArray(type) ? type : [type]).filter((one) => typeof one === 'string'),
    ),
  );
}

/** Whether any alternative of the argument has one of the keywords. */
export function hasKeyword({ schemas }: DeclaredArgument, ...keywords: readonly string[]): boolean {
  return schemas.some((schema) => keywords.some((keyword) => schema[keyword] !== undefined));
}

export function descriptionOf({ schemas }: DeclaredArgument): string {
  return schemas
    .map(({ description }) => description)
    .filter((text) => typeof text === 'string')
    .join(' ');
}

interface WalkState {
  readonly found: DeclaredArgument[];
  readonly path: string;
  readonly pointer: string;
  readonly depth: number;
}

function collectArguments(place: SchemaLocation, walk: WalkState): void {
  if (walk.depth >= MAX_DEPTH) return;
  const written = place.schemas.filter(({ properties }) => isRecord(properties));
  const required = place.schemas.flatMap((schema) =>
    Array.isArray(schema['required']) ? schema['required'] : [],
  );
  const names = new Set(written.flatMap(({ properties }) => Object.keys(Object(properties))));
  for (const name of names) {
    if (walk.found.length >= MAX_ARGUMENTS) return;
    const pointer = `${walk.pointer}/properties/${escapePointerSegment(name)}`;
    const path = walk.path === '' ? name : `${walk.path}.${name}`;
    const below = toPropertyLocation(place, name);
    const [schema = {}] = below.schemas;
    const { schemas } = below;
    walk.found.push({
      ...{ path, name, pointer, schema, schemas },
      required: required.includes(name),
      depth: walk.depth,
    });
    collectArguments(below, { ...walk, path, pointer, depth: walk.depth + 1 });
    const items = toItemLocation(below);
    if (items.schemas.length > 0)
      collectArguments(items, {
        ...walk,
        path: `${path}[]`,
        pointer: `${pointer}/items`,
        depth: walk.depth + 1,
      });
  }
}

const escapePointerSegment = (name: string): string => name.replaceAll('~', '~0').replaceAll('/', '~1');
