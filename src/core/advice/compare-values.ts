// One difference between two definitions of a tool, and the comparison of the values that a place accepts. Wider on one
// side is narrower on the other.

import { toCanonicalText } from '../values/canonical-text.ts';
import { isRecord } from '../values/is-record.ts';
import { isChoice, listOpenChoices, listValues, takesValue } from './schema-choices.ts';

const DEFINITION_CHANGE_KINDS = [
  'tool_removed',
  'tool_renamed',
  'tool_added',
  'required_added',
  'became_required',
  'became_optional',
  'argument_removed',
  'argument_renamed',
  'argument_added',
  'type_changed',
  'enum_narrowed',
  'enum_widened',
  'bound_narrowed',
  'bound_widened',
  'default_changed',
  'output_added',
  'output_removed',
  'description_changed',
  'title_changed',
  'annotation_changed',
] as const;

export type DefinitionChangeKind = (typeof DEFINITION_CHANGE_KINDS)[number];

export interface DefinitionChange {
  readonly kind: DefinitionChangeKind;
  /** The current name of the tool; of a removed tool, its last one. */
  readonly tool: string;
  /** Path of the argument or output field; '' if the change is about the tool. */
  readonly path: string;
  /** Whether a caller that knew the old definition can fail with the new one. */
  readonly breaking: boolean;
  /** Whether the new definition withdraws a statement that agents and clients rely on: a default, or a hint that a call is safe. */
  readonly breaksPromise: boolean;
  readonly sentence: string;
  readonly before?: unknown;
  readonly after?: unknown;
}

type Schema = Readonly<Record<string, unknown>>;

export interface ChangeTarget {
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
const OTHER_BOUNDS = ['pattern', 'format', 'uniqueItems'] as const;

/** Every alternative of the old and of the new schema of one place. */
interface SchemaPair {
  readonly before: readonly Schema[];
  readonly after: readonly Schema[];
}

/** Differences in the values that one place accepts; of another type altogether, only that it is another. */
export function compareValues(pair: SchemaPair, where: ChangeTarget): DefinitionChange[] {
  const [old, now] = [typesOf(pair.before), typesOf(pair.after)];
  const isReplaced =
    old.length > 0 &&
    now.length > 0 &&
    !old.some((type) => acceptsAll(now, [type]) || acceptsAll([type], now));
  if (isReplaced) return compareTypes(pair, where);
  return [
    ...compareTypes(pair, where),
    ...compareEnums(pair, where),
    ...LOWER_BOUNDS.flatMap((keyword) => compareBound(pair, { ...where, keyword, sign: 1 })),
    ...UPPER_BOUNDS.flatMap((keyword) => compareBound(pair, { ...where, keyword, sign: -1 })),
    ...OTHER_BOUNDS.flatMap((keyword) => compareKeyword(pair, { ...where, keyword })),
    ...compareDefaults(pair, where),
  ];
}

function compareTypes({ before, after }: SchemaPair, where: ChangeTarget): DefinitionChange[] {
  const [old, now] = [typesOf(before), typesOf(after)];
  if (old.join() === now.join()) return [];
  const narrowed = !acceptsAll(now, old);
  const widened = !acceptsAll(old, now);
  if (!narrowed && !widened) return [];
  const said = `the type of "${where.path}" went from ${old.join(' or ') || 'any'} to ${now.join(' or ') || 'any'}`;
  const breaking = where.side === 'input' ? narrowed : widened;
  return [toChange('type_changed', where, { breaking, said, before: old, after: now })];
}

/** Whether every type of `wanted` is accepted; no type accepts any, and `number` accepts integers. */
function acceptsAll(taken: readonly string[], wanted: readonly string[]): boolean {
  if (taken.length === 0) return true;
  if (wanted.length === 0) return false;
  return wanted.every((type) => taken.includes(type) || (type === 'integer' && taken.includes('number')));
}

/** Declared types, over all alternatives; none for any. */
export function typesOf(schemas: readonly Schema[]): string[] {
  const named = schemas.flatMap(({ type }) => (Array.isArray(type) ? type : [type]));
  return [...new Set(named.filter((type) => typeof type === 'string'))].sort();
}

function compareEnums({ before, after }: SchemaPair, where: ChangeTarget): DefinitionChange[] {
  const [old, now] = [listValues(before), listValues(after)];
  if (old === undefined && now === undefined) return [];
  const removed = (old ?? []).filter((value) => !takesValue(after, value));
  const added = (now ?? []).filter((value) => old !== undefined && !old.includes(value));
  const narrowed = removed.length > 0 || old === undefined;
  const widened = added.length > 0 || now === undefined;
  if (!narrowed && !widened) return [];
  const phrases = [
    ...(old === undefined
      ? [`takes only ${now?.join(', ')}`]
      : removed.map((value) => `no longer takes ${value}`)),
    ...(now === undefined
      ? [isChoice(after) ? 'takes other values than listed' : 'takes any value']
      : added.filter(() => old !== undefined).map((value) => `takes ${value} too`)),
  ];
  const said = `"${where.path}" ${phrases.join(', ')}`;
  const kind = narrowed ? 'enum_narrowed' : 'enum_widened';
  // A new value in an output affects only callers that list them all, so it is not breaking.
  const breaking = where.side === 'input' && narrowed;
  return [toChange(kind, where, { breaking, said, before: old, after: now })];
}

interface BoundTarget extends ChangeTarget {
  readonly keyword: string;
  /** 1 if a larger number accepts less, -1 if a smaller one does. */
  readonly sign: 1 | -1;
}

function compareBound({ before, after }: SchemaPair, where: BoundTarget): DefinitionChange[] {
  const { keyword, sign, path, side } = where;
  const [old, now] = [loosestBound(before, where), loosestBound(after, where)];
  if (old === now) return [];
  const narrowed = now !== undefined && (old === undefined || (now - old) * sign > 0);
  const said = `${keyword} of "${path}" went from ${old ?? 'none'} to ${now ?? 'none'}`;
  const breaking = narrowed && side === 'input';
  return [
    toChange(narrowed ? 'bound_narrowed' : 'bound_widened', where, {
      breaking,
      said,
      before: old,
      after: now,
    }),
  ];
}

/** The bound that accepts most, over all alternatives; that of the safe integers, which generators write, bounds nothing. */
function loosestBound(schemas: readonly Schema[], { keyword, sign }: BoundTarget): number | undefined {
  const bounds = schemas
    .map((schema) => schema[keyword])
    .filter((bound) => typeof bound === 'number')
    .filter((bound) => Math.abs(bound) < Number.MAX_SAFE_INTEGER);
  if (bounds.length === 0) return undefined;
  return sign === 1 ? Math.min(...bounds) : Math.max(...bounds);
}

function compareKeyword(
  { before, after }: SchemaPair,
  where: ChangeTarget & { readonly keyword: string },
): DefinitionChange[] {
  const { keyword, path, side } = where;
  // Of listed values the comparison of lists says which are refused.
  if (isChoice(after) && listValues(before) !== undefined) return [];
  const [old, now] = [before, after].map((schemas) => commonValue(schemas, keyword));
  if (toCanonicalText(old) === toCanonicalText(now)) return [];
  const said = `${keyword} of "${path}" went from ${toCanonicalText(old)} to ${toCanonicalText(now)}`;
  const narrowed = now !== undefined && now !== false;
  const kind = narrowed ? 'bound_narrowed' : 'bound_widened';
  const breaking = narrowed && side === 'input';
  return [toChange(kind, where, { breaking, said, before: old, after: now })];
}

/** The value of a keyword that no choice does without. */
function commonValue(schemas: readonly Schema[], keyword: string): unknown {
  const open = isChoice(schemas) ? listOpenChoices(schemas) : [];
  if (open.some((schema) => !(keyword in schema))) return undefined;
  return schemas.find((schema) => keyword in schema)?.[keyword];
}

/** Whether names are taken that are not declared. Callers know of such names only if the schema said so, or declared none. */
export function compareOpenness({ before, after }: SchemaPair, where: ChangeTarget): DefinitionChange[] {
  const wasOpen = before.some(
    ({ additionalProperties: open, properties, type }) =>
      open === true ||
      isRecord(open) ||
      (where.path !== '' && type === 'object' && open !== false && !isRecord(properties)),
  );
  const isClosed = after.some(({ additionalProperties }) => additionalProperties === false);
  const wasClosed = before.some(({ additionalProperties }) => additionalProperties === false);
  if (isClosed === wasClosed || (isClosed && !wasOpen)) return [];
  const place = where.path === '' ? 'the schema' : `"${where.path}"`;
  const said = `${place} ${isClosed ? 'no longer takes' : 'takes'} names that it does not declare`;
  const breaking = isClosed && where.side === 'input';
  return [toChange(isClosed ? 'bound_narrowed' : 'bound_widened', where, { breaking, said })];
}

function compareDefaults({ before, after }: SchemaPair, where: ChangeTarget): DefinitionChange[] {
  const [old, now] = [before, after].map(
    (schemas) => schemas.find((schema) => 'default' in schema)?.['default'],
  );
  if (toCanonicalText(old) === toCanonicalText(now)) return [];
  const said = `the default of "${where.path}" went from ${toCanonicalText(old)} to ${toCanonicalText(now)}`;
  // A caller that omitted the argument gets another behaviour; a first default only states what was unknown.
  const breaksPromise = where.side === 'input' && old !== undefined;
  return [
    toChange('default_changed', where, { breaking: false, breaksPromise, said, before: old, after: now }),
  ];
}

/** What a change says, and the values before and after where they are single ones. */
interface ChangeDetails extends Pick<DefinitionChange, 'breaking' | 'before' | 'after'> {
  readonly said: string;
  readonly breaksPromise?: boolean;
}

export function toChange(
  kind: DefinitionChangeKind,
  { tool, path, side }: ChangeTarget,
  { said, breaksPromise = false, ...details }: ChangeDetails,
): DefinitionChange {
  return { kind, tool, path, breaksPromise, sentence: `${said}, in the ${side} of "${tool}"`, ...details };
}
