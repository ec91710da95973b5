// Compares two JSON Schemas of one place. An input that accepts less is breaking, and so is an output that promises less.
// What cannot be resolved (`not`, `if`, remote `$ref`) is not compared.

import { toCanonicalText } from '../values/canonical-text.ts';
import { isRecord } from '../values/is-record.ts';
import {
  type SchemaLocation,
  toItemLocation,
  toPropertyLocation,
  toSchemaLocation,
} from '../values/schema-location.ts';
import {
  type ChangeTarget,
  compareOpenness,
  compareValues,
  type DefinitionChange,
  toChange,
  typesOf,
} from './compare-values.ts';
import { jaccardSimilarity, subjectWords } from './description-words.ts';
import { nameWords } from './name-words.ts';

const MAX_DEPTH = 6;
const MIN_RENAME_SIMILARITY = 0.5;

/** Differences between two schemas, parents before children. */
export function compareSchemas(
  before: unknown,
  after: unknown,
  side: Pick<ChangeTarget, 'tool' | 'side'>,
): DefinitionChange[] {
  return comparePlaces(toSchemaLocation(before), toSchemaLocation(after), { ...side, path: '', depth: 0 });
}

interface SchemaPosition extends ChangeTarget {
  readonly depth: number;
}

function comparePlaces(
  before: SchemaLocation,
  after: SchemaLocation,
  step: SchemaPosition,
): DefinitionChange[] {
  if (step.depth > MAX_DEPTH) return [];
  const pair = { before: before.schemas, after: after.schemas };
  const own = step.path === '' ? [] : compareValues(pair, step);
  // What was inside of an object is gone with it; the change of the type says so.
  const types = typesOf(after.schemas);
  if (types.length > 0 && !types.includes('object') && !types.includes('array')) return own;
  return [
    ...own,
    ...compareOpenness(pair, step),
    ...compareProperties(before, after, step),
    ...compareItems(before, after, step),
  ];
}

function compareItems(
  before: SchemaLocation,
  after: SchemaLocation,
  step: SchemaPosition,
): DefinitionChange[] {
  const [old, now] = [toItemLocation(before), toItemLocation(after)];
  if (old.schemas.length === 0 || now.schemas.length === 0) return [];
  return comparePlaces(old, now, { ...step, path: `${step.path}[]`, depth: step.depth + 1 });
}

function compareProperties(
  before: SchemaLocation,
  after: SchemaLocation,
  step: SchemaPosition,
): DefinitionChange[] {
  const [old, now] = [namesOf(before), namesOf(after)];
  const removed = old.filter((name) => !now.includes(name));
  const added = now.filter((name) => !old.includes(name));
  const renamed = findRenamed(before, after, { removed, added });
  const left = added.filter((name) => ![...renamed.values()].includes(name));
  const kept: (readonly [string, string])[] = [
    ...old.filter((name) => now.includes(name)).map((name) => [name, name] as const),
    ...renamed,
  ];
  return [
    ...removed.map((name) => toRemoval(name, renamed.get(name), step)),
    ...left.map((name) => toAddition(name, isRequired(after, name), step)),
    ...kept.flatMap(([was, is]) => {
      const path = join(step.path, is);
      const below = { ...step, path, depth: step.depth + 1 };
      return [
        ...compareRequired(isRequired(before, was), isRequired(after, is), below),
        ...comparePlaces(toPropertyLocation(before, was), toPropertyLocation(after, is), below),
      ];
    }),
  ];
}

function toRemoval(name: string, renamed: string | undefined, step: SchemaPosition): DefinitionChange {
  const path = join(step.path, name);
  const what = `the ${step.side === 'input' ? 'argument' : 'field'} "${path}"`;
  const where = { ...step, path };
  if (renamed === undefined)
    return toChange('argument_removed', where, { breaking: true, said: `${what} was removed` });
  const said = `${what} is now called "${renamed}"`;
  return toChange('argument_renamed', where, { breaking: true, said, before: name, after: renamed });
}

function toAddition(name: string, required: boolean, step: SchemaPosition): DefinitionChange {
  const where = { ...step, path: join(step.path, name) };
  const isInput = step.side === 'input';
  if (required && isInput)
    return toChange('required_added', where, { breaking: true, said: `"${where.path}" is new and required` });
  const said = `"${where.path}" is new${isInput ? ' and optional' : ''}`;
  return toChange('argument_added', where, { breaking: false, said });
}

function compareRequired(was: boolean, is: boolean, step: SchemaPosition): DefinitionChange[] {
  if (was === is) return [];
  const breaking = step.side === (is ? 'input' : 'output');
  const said = `"${step.path}" is ${is ? 'required' : 'optional'} now`;
  return [toChange(is ? 'became_required' : 'became_optional', step, { breaking, said })];
}

/** Pairs of a removed and an added name with a similar name or description. */
function findRenamed(
  before: SchemaLocation,
  after: SchemaLocation,
  { removed, added }: { readonly removed: readonly string[]; readonly added: readonly string[] },
): ReadonlyMap<string, string> {
  const found = new Map<string, string>();
  for (const was of removed) {
    const candidates = added.filter((is) => ![...found.values()].includes(is));
    const [best] = candidates
      .map((is) => ({ is, alike: propertySimilarity([was, before], [is, after]) }))
      .filter(({ alike }) => alike >= MIN_RENAME_SIMILARITY)
      .sort((one, other) => other.alike - one.alike);
    if (best !== undefined) found.set(was, best.is);
  }
  return found;
}

function propertySimilarity(
  [was, before]: readonly [string, SchemaLocation],
  [is, after]: readonly [string, SchemaLocation],
): number {
  const [old, now] = [
    toPropertyLocation(before, was).schemas[0] ?? {},
    toPropertyLocation(after, is).schemas[0] ?? {},
  ];
  if (toCanonicalText(typeOf(old)) !== toCanonicalText(typeOf(now))) return 0;
  const texts = [old['description'], now['description']].map((text) =>
    typeof text === 'string' ? text : '',
  );
  const described = jaccardSimilarity(subjectWords(texts[0] ?? ''), subjectWords(texts[1] ?? ''));
  const named = jaccardSimilarity(new Set(nameWords(was)), new Set(nameWords(is)));
  const short = was.startsWith(is) || is.startsWith(was) ? 0.5 : 0;
  return Math.max(described, named, short);
}

const typeOf = (schema: Readonly<Record<string, unknown>>): unknown => schema['type'] ?? null;

function namesOf({ schemas }: SchemaLocation): string[] {
  return [
    ...new Set(schemas.flatMap(({ properties }) => (isRecord(properties) ? Object.keys(properties) : []))),
  ];
}

const isRequired = ({ schemas }: SchemaLocation, name: string): boolean =>
  schemas.some(({ required }) => Array.isArray(required) && required.includes(name));

const join = (path: string, name: string): string => (path === '' ? name : `${path}.${name}`);
