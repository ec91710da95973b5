// Two JSON Schemas of the same place. Input and output are mirror images: of an input it breaks to take less, of an output
// to promise less. What cannot be followed (`not`, `if`, remote `$ref`) is not judged.

import { canonicalText } from '../values/canonical.ts';
import { itemPlace, type Place, placeOf, propertyPlace } from '../values/declared.ts';
import { isRecord } from '../values/is-record.ts';
import { compareValues } from './compare-values.ts';
import type { DefinitionChange, DefinitionChangeKind } from './definition-change.ts';
import { overlap, subjectWords } from './description-words.ts';
import { nameWords } from './name-words.ts';

const DEPTH_LIMIT = 6;
const RENAMED = 0.5;

export interface SchemaSide {
  readonly tool: string;
  readonly side: 'input' | 'output';
}

/** Differences between two schemas, parents before what is below them. */
export function compareSchemas(before: unknown, after: unknown, side: SchemaSide): DefinitionChange[] {
  return comparePlaces(placeOf(before), placeOf(after), { ...side, path: '', depth: 0 });
}

interface Step extends SchemaSide {
  readonly path: string;
  readonly depth: number;
}

function comparePlaces(before: Place, after: Place, step: Step): DefinitionChange[] {
  if (step.depth > DEPTH_LIMIT) return [];
  const own = step.path === '' ? [] : compareValues(before.schemas, after.schemas, step);
  return [...own, ...compareProperties(before, after, step), ...compareItems(before, after, step)];
}

function compareItems(before: Place, after: Place, step: Step): DefinitionChange[] {
  const [old, now] = [itemPlace(before), itemPlace(after)];
  if (old.schemas.length === 0 || now.schemas.length === 0) return [];
  return comparePlaces(old, now, { ...step, path: `${step.path}[]`, depth: step.depth + 1 });
}

function compareProperties(before: Place, after: Place, step: Step): DefinitionChange[] {
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
        ...comparePlaces(propertyPlace(before, was), propertyPlace(after, is), below),
      ];
    }),
  ];
}

function toRemoval(name: string, renamed: string | undefined, step: Step): DefinitionChange {
  const path = join(step.path, name);
  const what = step.side === 'input' ? 'argument' : 'field';
  if (renamed === undefined)
    return make(
      'argument_removed',
      { ...step, path },
      { breaking: true, said: `the ${what} "${path}" was taken away` },
    );
  return {
    ...make(
      'argument_renamed',
      { ...step, path },
      { breaking: true, said: `the ${what} "${path}" is now called "${renamed}"` },
    ),
    before: name,
    after: renamed,
  };
}

function toAddition(name: string, required: boolean, step: Step): DefinitionChange {
  const path = join(step.path, name);
  const isDemand = required && step.side === 'input';
  const said = isDemand
    ? `"${path}" is new and required`
    : `"${path}" is new${step.side === 'input' ? ' and optional' : ''}`;
  return make(
    isDemand ? 'required_added' : 'argument_added',
    { ...step, path },
    { breaking: isDemand, said },
  );
}

function compareRequired(was: boolean, is: boolean, step: Step): DefinitionChange[] {
  if (was === is) return [];
  const { path, side } = step;
  if (is)
    return [make('became_required', step, { breaking: side === 'input', said: `"${path}" is required now` })];
  return [make('became_optional', step, { breaking: side === 'output', said: `"${path}" is optional now` })];
}

/** A removed and an added name with the same schema, or of the same words or the same description. */
function findRenamed(
  before: Place,
  after: Place,
  { removed, added }: { readonly removed: readonly string[]; readonly added: readonly string[] },
): ReadonlyMap<string, string> {
  const found = new Map<string, string>();
  for (const was of removed) {
    const candidates = added.filter((is) => ![...found.values()].includes(is));
    const [best] = candidates
      .map((is) => ({ is, alike: likeness([was, before], [is, after]) }))
      .filter(({ alike }) => alike >= RENAMED)
      .sort((one, other) => other.alike - one.alike);
    if (best !== undefined) found.set(was, best.is);
  }
  return found;
}

function likeness([was, before]: readonly [string, Place], [is, after]: readonly [string, Place]): number {
  const [old, now] = [propertyPlace(before, was).schemas[0] ?? {}, propertyPlace(after, is).schemas[0] ?? {}];
  if (canonicalText(typeOf(old)) !== canonicalText(typeOf(now))) return 0;
  const texts = [old['description'], now['description']].map((text) =>
    typeof text === 'string' ? text : '',
  );
  const described = overlap(subjectWords(texts[0] ?? ''), subjectWords(texts[1] ?? ''));
  const named = overlap(new Set(nameWords(was)), new Set(nameWords(is)));
  const short = was.startsWith(is) || is.startsWith(was) ? 0.5 : 0;
  return Math.max(described, named, short);
}

const typeOf = (schema: Readonly<Record<string, unknown>>): unknown => schema['type'] ?? null;

function namesOf({ schemas }: Place): string[] {
  return [
    ...new Set(schemas.flatMap(({ properties }) => (isRecord(properties) ? Object.keys(properties) : []))),
  ];
}

const isRequired = ({ schemas }: Place, name: string): boolean =>
  schemas.some(({ required }) => Array.isArray(required) && required.includes(name));

const join = (path: string, name: string): string => (path === '' ? name : `${path}.${name}`);

function make(
  kind: DefinitionChangeKind,
  { tool, path, side }: Step,
  { breaking, said }: { readonly breaking: boolean; readonly said: string },
): DefinitionChange {
  return { kind, tool, path, breaking, sentence: `${said}, in the ${side} of "${tool}"` };
}
