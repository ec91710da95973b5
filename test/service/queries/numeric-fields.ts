// Every number that an answer of the contract holds, by its place: `tools[].p95Ms`, `totals.{}` for the values of a record. Read from
// the JSON Schema that zod makes, so that a field that was added yesterday is among them. Three forms that stand all over
// the contract are one place: a range, a share with its interval, and what came after errors.
import { z } from 'zod';

type Schema = Readonly<Record<string, unknown>>;

const COMPOSITE_FORMS = [
  ['fromMs', 'toMs'],
  ['value', 'n', 'low', 'high'],
  ['n', 'sameCall', 'changedArguments', 'otherTool', 'gaveUp', 'recovered'],
].map((names) => names.toSorted().join());

const isSchema = (value: unknown): value is Schema => typeof value === 'object' && value !== null;
const listOf = (value: unknown): Schema[] => (Array.isArray(value) ? value.filter(isSchema) : []);
const isNumber = ({ type }: Schema): boolean =>
  [type].flat().some((name) => name === 'number' || name === 'integer');

/** @returns in the order in which they are declared, each once */
export function listNumericFields(schema: z.ZodType): string[] {
  const whole = z.toJSONSchema(schema, { unrepresentable: 'any', reused: 'inline' });
  return [...new Set(fieldsOf(whole as Schema, ''))]; // a JSON Schema is an object of unknown values
}

function fieldsOf(schema: Schema, place: string): string[] {
  const under = (name: string): string => (place === '' ? name : `${place}.${name}`);
  const properties = isSchema(schema.properties) ? Object.entries(schema.properties) : [];
  if (
    COMPOSITE_FORMS.includes(
      properties
        .map(([name]) => name)
        .toSorted()
        .join(),
    )
  )
    return [place];
  return [
    ...(isNumber(schema) ? [place] : []),
    ...properties.flatMap(([name, one]) => (isSchema(one) ? fieldsOf(one, under(name)) : [])),
    ...(isSchema(schema.additionalProperties) ? fieldsOf(schema.additionalProperties, under('{}')) : []),
    ...(isSchema(schema.items) ? fieldsOf(schema.items, `${place}[]`) : []),
    ...listOf(schema.prefixItems).flatMap((one, at) => fieldsOf(one, `${place}[${at}]`)),
    ...[...listOf(schema.anyOf), ...listOf(schema.oneOf), ...listOf(schema.allOf)].flatMap((one) =>
      fieldsOf(one, place),
    ),
  ];
}
