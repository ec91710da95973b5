// What values a place takes: its types, its enum, its bounds. Wider on one side is narrower on the other.

import { canonicalText } from '../values/canonical.ts';
import type { DefinitionChange, DefinitionChangeKind } from './definition-change.ts';

type Schema = Readonly<Record<string, unknown>>;

interface Where {
  readonly tool: string;
  readonly path: string;
  readonly side: 'input' | 'output';
}

const LOWER_BOUNDS = [
  'minimum',
  'exclusiveMinimum',
  'minLength',
  'minItems',
  'minProperties',
  'multipleOf',
] as const;
const UPPER_BOUNDS = ['maximum', 'exclusiveMaximum', 'maxLength', 'maxItems', 'maxProperties'] as const;
const OTHER_BOUNDS = ['pattern', 'format', 'uniqueItems', 'additionalProperties'] as const;

/**
 * Differences in what values are taken at one place.
 * @param before every alternative of the old schema there
 * @param after every alternative of the new one
 */
export function compareValues(
  before: readonly Schema[],
  after: readonly Schema[],
  where: Where,
): DefinitionChange[] {
  return [
    ...compareTypes(before, after, where),
    ...compareEnums(before, after, where),
    ...LOWER_BOUNDS.flatMap((keyword) => compareBound(before, after, { ...where, keyword, sign: 1 })),
    ...UPPER_BOUNDS.flatMap((keyword) => compareBound(before, after, { ...where, keyword, sign: -1 })),
    ...OTHER_BOUNDS.flatMap((keyword) => compareOther(before, after, { ...where, keyword })),
    ...compareDefaults(before, after, where),
  ];
}

function compareTypes(before: readonly Schema[], after: readonly Schema[], where: Where): DefinitionChange[] {
  const [old, now] = [typesOf(before), typesOf(after)];
  if (old.join() === now.join()) return [];
  const narrowed = !takesAll(now, old);
  const widened = !takesAll(old, now);
  if (!narrowed && !widened) return [];
  const said = `the type of "${where.path}" went from ${old.join(' or ') || 'any'} to ${now.join(' or ') || 'any'}`;
  const breaking = where.side === 'input' ? narrowed : widened;
  return [{ ...make('type_changed', where, { breaking, said }), before: old, after: now }];
}

/** Whether every type of `wanted` is taken; no type at all takes any, and `number` takes integers. */
function takesAll(taken: readonly string[], wanted: readonly string[]): boolean {
  if (taken.length === 0) return true;
  if (wanted.length === 0) return false;
  return wanted.every((type) => taken.includes(type) || (type === 'integer' && taken.includes('number')));
}

function typesOf(schemas: readonly Schema[]): string[] {
  const named = schemas.flatMap(({ type }) => (Array.isArray(type) ? type : [type]));
  return [...new Set(named.filter((type) => typeof type === 'string'))].sort();
}

function compareEnums(before: readonly Schema[], after: readonly Schema[], where: Where): DefinitionChange[] {
  const [old, now] = [enumOf(before), enumOf(after)];
  if (old === undefined && now === undefined) return [];
  const gone = (old ?? []).filter((value) => now !== undefined && !now.includes(value));
  const come = (now ?? []).filter((value) => old !== undefined && !old.includes(value));
  const narrowed = gone.length > 0 || old === undefined;
  const widened = come.length > 0 || now === undefined;
  if (!narrowed && !widened) return [];
  const words = [
    ...(old === undefined
      ? [`takes only ${now?.join(', ')}`]
      : gone.map((value) => `no longer takes ${value}`)),
    ...(now === undefined
      ? ['takes any value']
      : come.filter(() => old !== undefined).map((value) => `takes ${value} too`)),
  ];
  const said = `"${where.path}" ${words.join(', ')}`;
  const kind = narrowed ? 'enum_narrowed' : 'enum_widened';
  // A new value in an output surprises only callers that list them all; that is no break.
  const breaking = where.side === 'input' && narrowed;
  return [{ ...make(kind, where, { breaking, said }), before: old, after: now }];
}

function enumOf(schemas: readonly Schema[]): string[] | undefined {
  const listed = schemas.flatMap((schema) => [
    ...(Array.isArray(schema['enum']) ? schema['enum'] : []),
    ...('const' in schema ? [schema['const']] : []),
  ]);
  return listed.length === 0 ? undefined : [...new Set(listed.map(canonicalText))];
}

interface BoundWhere extends Where {
  readonly keyword: string;
  /** 1 where a larger number takes less, -1 where a smaller one does. */
  readonly sign: 1 | -1;
}

function compareBound(
  before: readonly Schema[],
  after: readonly Schema[],
  where: BoundWhere,
): DefinitionChange[] {
  const { keyword, sign, path, side } = where;
  const [old, now] = [loosest(before, where), loosest(after, where)];
  if (old === now) return [];
  const narrowed = now !== undefined && (old === undefined || (now - old) * sign > 0);
  const said = `${keyword} of "${path}" went from ${old ?? 'none'} to ${now ?? 'none'}`;
  const breaking = narrowed && side === 'input';
  return [
    {
      ...make(narrowed ? 'bound_narrowed' : 'bound_widened', where, { breaking, said }),
      before: old,
      after: now,
    },
  ];
}

/** The bound that takes most, over all alternatives of the types it speaks of. */
function loosest(schemas: readonly Schema[], { keyword, sign }: BoundWhere): number | undefined {
  const bounds = schemas.map((schema) => schema[keyword]).filter((bound) => typeof bound === 'number');
  if (bounds.length === 0) return undefined;
  return sign === 1 ? Math.min(...bounds) : Math.max(...bounds);
}

function compareOther(
  before: readonly Schema[],
  after: readonly Schema[],
  where: Where & { readonly keyword: string },
): DefinitionChange[] {
  const { keyword, path, side } = where;
  const [old, now] = [before, after].map((schemas) => schemas.find((schema) => keyword in schema)?.[keyword]);
  if (canonicalText(old) === canonicalText(now)) return [];
  const isOpen = (value: unknown) => value === undefined || value === true;
  if (keyword === 'additionalProperties' && isOpen(old) && isOpen(now)) return [];
  const narrowed = keyword === 'additionalProperties' ? now === false : now !== undefined && now !== false;
  const said = `${keyword} of "${path}" went from ${canonicalText(old)} to ${canonicalText(now)}`;
  const kind = narrowed ? 'bound_narrowed' : 'bound_widened';
  return [
    { ...make(kind, where, { breaking: narrowed && side === 'input', said }), before: old, after: now },
  ];
}

function compareDefaults(
  before: readonly Schema[],
  after: readonly Schema[],
  where: Where,
): DefinitionChange[] {
  const [old, now] = [before, after].map(
    (schemas) => schemas.find((schema) => 'default' in schema)?.['default'],
  );
  if (canonicalText(old) === canonicalText(now)) return [];
  const said = `the default of "${where.path}" went from ${canonicalText(old)} to ${canonicalText(now)}`;
  return [{ ...make('default_changed', where, { breaking: false, said }), before: old, after: now }];
}

function make(
  kind: DefinitionChangeKind,
  { tool, path, side }: Where,
  { breaking, said }: { readonly breaking: boolean; readonly said: string },
): DefinitionChange {
  return { kind, tool, path, breaking, sentence: `${said}, in the ${side} of "${tool}"` };
}
