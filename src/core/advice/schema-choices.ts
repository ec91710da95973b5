// The alternatives of a place as a choice: a value is taken where one of them takes it. Only `anyOf` and `oneOf` make a choice;
// the parts of `allOf` hold together.

import { toCanonicalText } from '../values/canonical-text.ts';

type Schema = Readonly<Record<string, unknown>>;

export const isChoice = (schemas: readonly Schema[]): boolean =>
  schemas.some((schema) => 'anyOf' in schema || 'oneOf' in schema);

/** What there is to choose from: schemas that only lead to others say nothing of their own, and `null` is a type. */
function listChoices(schemas: readonly Schema[]): readonly Schema[] {
  if (!isChoice(schemas)) return schemas;
  return schemas.filter(
    (schema) =>
      !['anyOf', 'oneOf', 'allOf', '$ref'].some((keyword) => keyword in schema) && schema['type'] !== 'null',
  );
}

const hasList = (schema: Schema): boolean => Array.isArray(schema['enum']) || 'const' in schema;

/** Choices that take more than listed values. */
export const listOpenChoices = (schemas: readonly Schema[]): readonly Schema[] =>
  listChoices(schemas).filter((schema) => !hasList(schema));

/** The values that are taken, as canonical text; undefined where other values are taken, too. */
export function listValues(schemas: readonly Schema[]): string[] | undefined {
  if (isChoice(schemas) && listOpenChoices(schemas).length > 0) return undefined;
  const listed = schemas.flatMap((schema) => [
    ...(Array.isArray(schema['enum']) ? schema['enum'] : []),
    ...('const' in schema ? [schema['const']] : []),
  ]);
  return listed.length === 0 ? undefined : [...new Set(listed.map(toCanonicalText))];
}

/** Whether a choice takes the value, as far as list, type and pattern tell. @param text canonical text of the value */
export function takesValue(schemas: readonly Schema[], text: string): boolean {
  return listChoices(schemas).some((schema) => {
    if (hasList(schema)) return listValues([schema])?.includes(text) === true;
    const isText = text.startsWith('"');
    if (schema['type'] !== undefined && (schema['type'] === 'string') !== isText) return false;
    return !isText || matchesPattern(JSON.parse(text), schema['pattern']);
  });
}

function matchesPattern(value: string, pattern: unknown): boolean {
  if (typeof pattern !== 'string') return true;
  try {
    return new RegExp(pattern, 'u').test(value);
  } catch {
    // A pattern of another dialect: nothing shows that it refuses the value.
    return true;
  }
}
