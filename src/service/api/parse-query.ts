// Parses a URL query into typed values, or rejects it naming the field, the given value and what is allowed.
// The allowed values come from the schema itself, so the message cannot diverge.

import { z } from 'zod';
import { EXCLUSION_PREFIX, mergeFilters } from '../../contract/filter-value.ts';
import type { ResolvedQuery } from '../../contract/queries.ts';
import { parseTime } from '../../contract/time-range.ts';
import { UserError } from '../../errors.ts';

const MAX_QUOTED_LENGTH = 100;

/**
 * Reads the parameters of a request.
 *
 * @param schema the strict object that lists them
 * @param raw what the URL held: text by name, a list where a name stood twice
 * @throws UserError INVALID_PARAMETER for the first one that does not fit
 */
export function parseQuery<S extends z.ZodObject>(schema: S, raw: unknown): z.output<S> {
  const parsed = schema.safeParse(raw);
  if (parsed.success) return parsed.data;
  const [issue] = parsed.error.issues;
  if (issue?.code === 'unrecognized_keys') throw createUnknownParameterError(issue.keys[0] ?? '', schema);
  throw createInvalidParameterError(String(issue?.path[0] ?? ''), {
    schema,
    raw,
    message: issue?.message ?? '',
  });
}

/**
 * Turns `from` and `to` into instants, and the parameters of each filter into one value.
 *
 * @param query what `parseQuery` returned for a schema with a time range
 * @param nowMs the present, in epoch milliseconds
 * @throws UserError INVALID_PARAMETER when the range is empty or runs backwards
 */
export function resolveTimeRange<Q extends { readonly from: string; readonly to: string }>(
  query: Q,
  nowMs: number,
): ResolvedQuery<Q> {
  const { from, to, ...rest } = query;
  // The schema has tried both texts, so the fallback is never taken.
  const range = { fromMs: parseTime(from, nowMs) ?? nowMs, toMs: parseTime(to, nowMs) ?? nowMs };
  if (range.fromMs < range.toMs) return { ...mergeFilters(rest), range };
  throw new UserError(
    'INVALID_PARAMETER',
    `Parameter "from" is "${from}", which is not before "to", "${to}". Expected a time before it.`,
    { field: 'from' },
  );
}

function createUnknownParameterError(name: string, schema: z.ZodObject): UserError {
  const isListed = (one: string): boolean => !one.startsWith(EXCLUSION_PREFIX);
  const allowed = Object.keys(schema.shape).filter(isListed).join(', ');
  return new UserError('INVALID_PARAMETER', `Parameter ${quote(name)} is unknown. Allowed are ${allowed}.`, {
    field: name.slice(0, MAX_QUOTED_LENGTH),
    hint: 'Remove it, or correct its name.',
  });
}

function createInvalidParameterError(
  name: string,
  { schema, raw, message }: { readonly schema: z.ZodObject; readonly raw: unknown; readonly message: string },
): UserError {
  const given = Object.entries(raw ?? {}).find(([key]) => key === name)?.[1];
  const expected = message.startsWith('must be')
    ? `It ${message}`
    : `Expected ${describeAllowed(schema, { name, isList: Array.isArray(given) })}`;
  return new UserError(
    'INVALID_PARAMETER',
    `Parameter "${name}" ${describeGiven(given, schema.shape[name])}. ${expected}.`,
    { field: name },
  );
}

function describeGiven(given: unknown, field: z.core.$ZodType | undefined): string {
  if (given === undefined) return 'is missing';
  if (!Array.isArray(given)) return `is ${quote(String(given))}`;
  // An empty list fits a parameter that may be repeated.
  const isRepeatable = field !== undefined && z.safeParse(field, []).success;
  return isRepeatable ? `has ${given.length} values, or one that is not allowed` : 'is given more than once';
}

function quote(text: string): string {
  return JSON.stringify(text.length > MAX_QUOTED_LENGTH ? `${text.slice(0, MAX_QUOTED_LENGTH)}…` : text);
}

/** JSON Schema of one parameter, as far as our schemas use it. */
const ParameterSchema = z.object({
  enum: z.array(z.string()).optional(),
  type: z.string().optional(),
  minimum: z.number().optional(),
  maximum: z.number().optional(),
  minLength: z.number().optional(),
  maxLength: z.number().optional(),
  maxItems: z.number().optional(),
  anyOf: z.array(z.unknown()).optional(),
});
type ParameterSchema = z.infer<typeof ParameterSchema>;

interface ParameterUse {
  readonly name: string;
  /** Whether it was given more than once. */
  readonly isList: boolean;
}

function describeAllowed(schema: z.ZodObject, { name, isList }: ParameterUse): string {
  const properties = z.toJSONSchema(schema, { unrepresentable: 'any' }).properties ?? {};
  const parameter = ParameterSchema.parse(properties[name] ?? {});
  const [value, list] = (parameter.anyOf ?? []).map((one) => ParameterSchema.parse(one));
  const each = describeValue(value ?? parameter);
  return list && isList ? `at most ${list.maxItems} values, each ${each}` : each;
}

function describeValue(parameter: ParameterSchema): string {
  const { enum: values, type, minimum, maximum, minLength, maxLength } = parameter;
  if (values) return `one of ${values.join(', ')}`;
  if (type === 'integer') return `a whole number from ${minimum} to ${maximum}`;
  return `text of ${minLength ?? 0} to ${maxLength} characters`;
}
