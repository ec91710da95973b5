// A handler for every resource and action of the registry. Each returns the smallest response that its schema
// allows: zeros, empty texts and lists, nulls.
import { z } from 'zod';
import type { Handlers } from '../../../src/contract/queries.ts';
import { ACTIONS, type Action, RESOURCES } from '../../../src/contract/resources.ts';
import type { JsonSchema } from '../../support/json-fields.ts';

/** The smallest value; the last of several types is null where that is allowed. */
function createExample(schema: JsonSchema): unknown {
  if (schema.anyOf) return createExample(schema.anyOf.at(-1) as JsonSchema);
  if (schema.const !== undefined) return schema.const;
  if (schema.enum) return schema.enum[0];
  const type = [schema.type].flat().at(-1);
  if (type === 'object') return createObject(schema);
  if (type === 'array') return [];
  if (type === 'number' || type === 'integer')
    return Math.max(schema.minimum ?? 0, Number(schema.exclusiveMinimum ?? -1) + 1);
  return { string: '', boolean: false, null: null }[String(type)];
}

function createObject({ properties = {}, required = [], additionalProperties }: JsonSchema): object {
  const schemaOf = (name: string) => (properties[name] ?? additionalProperties) as JsonSchema;
  return Object.fromEntries(required.map((name) => [name, createExample(schemaOf(name))]));
}

/** The range of a response is that of its request. */
function createHandler(response: z.ZodType | undefined) {
  const example = response && (createExample(z.toJSONSchema(response, { unrepresentable: 'any' })) as object);
  return async (request: object) =>
    example && 'range' in example && 'range' in request ? { ...example, range: request.range } : example;
}

const examples = [...Object.entries(RESOURCES), ...Object.entries<Action>(ACTIONS)].map(
  ([name, { response }]) => [name, createHandler(response)],
);

export const EXAMPLE_HANDLERS: Handlers = {
  // Each name has the response of its own schema.
  ...(Object.fromEntries(examples) as Handlers),
  exportCalls: async () => ({ calls: [], nextCursor: null }),
  countCalls: async () => 0,
};
