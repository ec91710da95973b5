// Parses a URL query into typed values, or rejects it naming the field, the given value and what is allowed.
// The allowed values come from the schema itself, so the message cannot diverge.

import { z } from 'zod';
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
 * Turns `from` and `to` into instants.
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
  if (range.fromMs < range.toMs) return { ...rest, range };
  throw new UserError(
    'INVALID_PARAMETER',
    `Parameter "from" is "${from}", which is not before "to", "${to}". Expected a time before it.`,
    { field: 'from' },
  );
}

function createUnknownParameterError(name: string, schema: z.ZodObject): UserError {
  const allowed = Object.keys(schema.shape).join(', ');
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
    : `Expected ${describeAllowed(schema, name)}`;
  const what =
    given === undefined
      ? 'is missing'
      : Array.isArray(given)
        ? 'is given more than once'
        : `is ${quote(String(given))}`;
  return new UserError('INVALID_PARAMETER', `Parameter "${name}" ${what}. ${expected}.`, { field: name });
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
});

function describeAllowed(schema: z.ZodObject, name: string): string {
  const properties = z.toJSONSchema(schema, { unrepresentable: 'any' }).properties ?? {};
  const {
    enum: values,
    type,
    minimum,
    maximum,
    minLength,
    maxLength,
  } = ParameterSchema.parse(properties[name] ?? {});
  if (values) return `one of ${values.join(', ')}`;
  if (type === 'integer') return `a whole number from ${minimum} to ${maximum}`;
  return `text of ${minLength ?? 0} to ${maxLength} characters`;
}
