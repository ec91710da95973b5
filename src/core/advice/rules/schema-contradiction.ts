// TD038: schemas that contradict themselves: a reference to nothing, a required name that is not declared, a default or a listed
// value that the schema itself refuses.

import type { ToolDefinition } from '../../model/catalogue.ts';
import { isRecord } from '../../values/is-record.ts';
import { toSchemaLocation } from '../../values/schema-location.ts';
import { type DeclaredArgument, declaredArguments } from '../declared-arguments.ts';
import type { Observation } from '../finding.ts';
import type { StaticRule } from '../rule.ts';

export const schemaContradiction: StaticRule = {
  id: 'TD038',
  level: 'error',
  title: 'Schema contradicts itself',
  condition:
    'A `$ref` leads nowhere in its schema, `required` names what is not declared, a `default` is outside of the `enum`, type or bounds, or a value of the `enum` is of another type.',
  disprovedBy: 'A validator takes the schema, and a call with every declared value.',
  check: (tools) =>
    tools.flatMap((tool) => [
      ...checkReferences(tool),
      ...checkRequired(tool),
      ...declaredArguments(tool).flatMap((argument) => checkValues(tool, argument)),
    ]),
};

function checkReferences({ name, inputSchema, outputSchema }: ToolDefinition): Observation[] {
  const dangling = [inputSchema, outputSchema].flatMap((schema) =>
    [...new Set(listReferences(schema))].filter((reference) => isDangling(reference, schema)),
  );
  if (dangling.length === 0) return [];
  return [
    {
      tool: name,
      finding: `A schema of "${name}" refers to ${dangling.join(', ')}, which it does not contain: clients refuse it or take any value.`,
      counts: { references: dangling.length },
      names: { references: dangling },
      suggestion: 'Add the definition under `$defs`, or write the schema in place.',
    },
  ];
}

/** Schemas are trees of a few levels; one that is deeper is not followed. */
const MAX_DEPTH = 32;

function listReferences(schema: unknown, depth = 0): string[] {
  if (depth > MAX_DEPTH || typeof schema !== 'object' || schema === null) return [];
  const own = isRecord(schema) && typeof schema['$ref'] === 'string' ? [schema['$ref']] : [];
  // A default or an example is data, and may have that name in it.
  const below = Object.entries(schema).filter(([key]) => !DATA_KEYWORDS.includes(key));
  return [...own, ...below.flatMap(([, value]) => listReferences(value, depth + 1))];
}

const DATA_KEYWORDS: readonly string[] = ['default', 'examples', 'example', 'const', 'enum'];

/** References by anchor or to another document are not followed. */
function isDangling(reference: string, schema: unknown): boolean {
  if (reference !== '#' && !reference.startsWith('#/')) return false;
  const target = reference
    .split('/')
    .slice(1)
    .map((step) => decodeStep(step).replaceAll('~1', '/').replaceAll('~0', '~'))
    .reduce<unknown>((at, step) => {
      if (Array.isArray(at)) return at[Number(step)];
      return isRecord(at) && Object.hasOwn(at, step) ? at[step] : undefined;
    }, schema);
  return target === undefined;
}

function decodeStep(step: string): string {
  try {
    return decodeURIComponent(step);
  } catch {
    // A percent sign that encodes nothing.
    return step;
  }
}

function checkRequired({ name, inputSchema }: ToolDefinition): Observation[] {
  const { schemas } = toSchemaLocation(inputSchema);
  const declared = new Set(
    schemas.flatMap(({ properties }) => (isRecord(properties) ? Object.keys(properties) : [])),
  );
  const missing = schemas
    .flatMap(({ required }) => (Array.isArray(required) ? required : []))
    .filter((one): one is string => typeof one === 'string' && !declared.has(one));
  return [...new Set(missing)].map((argument) => ({
    tool: name,
    argument,
    finding: `"${argument}" of "${name}" is required, and the schema does not declare it: no agent knows what to send.`,
    counts: {},
    names: { required: [argument] },
    suggestion: 'Declare it under `properties`, or remove it from `required`.',
    edits: [{ tool: name, pointer: `/inputSchema/properties/${argument}`, after: { type: '<type>' } }],
  }));
}

function checkValues({ name: tool }: ToolDefinition, argument: DeclaredArgument): Observation[] {
  const { schema, path, pointer } = argument;
  const listed = Array.isArray(schema['enum']) ? schema['enum'] : undefined;
  const mistyped = (listed ?? []).filter((value) => !hasType(value, schema['type']));
  const value = schema['default'];
  const problem = value === undefined || value === null ? undefined : findProblem(value, schema);
  return [
    ...(mistyped.length === 0
      ? []
      : [
          {
            ...{ tool, argument: path },
            finding: `The \`enum\` of "${path}" has ${mistyped.map((one) => JSON.stringify(one)).join(', ')}, and its type is ${JSON.stringify(schema['type'])}: no value passes.`,
            counts: { values: mistyped.length },
            suggestion: 'Give the values the declared type, or declare theirs.',
            edits: [
              { tool, pointer: `${pointer}/type`, before: schema['type'], after: '<type of the values>' },
            ],
          },
        ]),
    ...(problem === undefined
      ? []
      : [
          {
            ...{ tool, argument: path },
            finding: `The default of "${path}" (${JSON.stringify(value)}) ${problem}: a call that states it is refused.`,
            counts: {},
            names: { argument: [path] },
            suggestion: 'Correct the default or what the schema allows.',
            edits: [{ tool, pointer: `${pointer}/default`, before: value, after: '<allowed value>' }],
          },
        ]),
  ];
}

function findProblem(value: unknown, schema: Readonly<Record<string, unknown>>): string | undefined {
  const { enum: listed, type, minimum, maximum } = schema;
  if (!hasType(value, type)) return `is not of type ${JSON.stringify(type)}`;
  if (Array.isArray(listed) && typeof value !== 'object' && !listed.includes(value))
    return 'is none of the listed values';
  if (typeof value !== 'number') return undefined;
  if (typeof minimum === 'number' && value < minimum) return `is below the minimum of ${minimum}`;
  if (typeof maximum === 'number' && value > maximum) return `is above the maximum of ${maximum}`;
  return undefined;
}

/** Whether a value has one of the declared types; without any, every value has. */
function hasType(value: unknown, declared: unknown): boolean {
  const types: readonly unknown[] = Array.isArray(declared) ? declared : [declared];
  if (!types.every((type) => typeof type === 'string')) return true;
  return types.some((type) => {
    if (type === 'integer') return Number.isInteger(value);
    if (type === 'null') return value === null;
    if (type === 'array') return Array.isArray(value);
    if (type === 'object') return isRecord(value);
    return typeof value === type;
  });
}
