// Promises of the schemas, tested by the shapes of arguments and results: enums, bounds and the structure of the output. A shape has
// no values, so a bound of a number is tested only where it was refused.

import type { ToolDefinition } from '../../model/catalogue.ts';
import { isRecord } from '../../values/is-record.ts';
import { type DeclaredArgument, declaredArguments, hasKeyword } from '../declared-arguments.ts';
import { type BreakingCall, type PromiseRecord, type PromiseTest, toPromiseRecord } from './promise.ts';

/** Calls with one shape and one outcome. */
export interface ShapedCalls {
  readonly shape: string;
  readonly outcome: string;
  /** The argument that a refusal names; empty if none. */
  readonly argument: string;
  readonly n: number;
  /** The newest of them. */
  readonly call: BreakingCall;
}

/** The enums and bounds of a tool's top-level arguments. */
export function testArguments(tool: ToolDefinition, calls: readonly ShapedCalls[]): PromiseRecord[] {
  const parsed = calls.map((one) => ({ ...one, leaves: parseObject(one.shape) }));
  return declaredArguments(tool)
    .filter(({ depth }) => depth === 0)
    .flatMap((argument) =>
      ARGUMENT_PROMISES.filter(({ isPromised }) => isPromised(argument)).map(({ kind, isWithin }) => {
        const tests = parsed.flatMap((call) =>
          testArgument(call, { path: argument.path, isWithin: (leaf) => isWithin(argument, leaf) }),
        );
        return toPromiseRecord({ kind, argument: argument.path }, tests);
      }),
    );
}

interface ArgumentTest {
  readonly path: string;
  readonly isWithin: (leaf: unknown) => boolean | undefined;
}

/** Within: accepted, or refused for something else. Outside: refused. */
function testArgument(
  { leaves, outcome, argument, n, call }: ShapedCalls & { readonly leaves: Shape | undefined },
  { path, isWithin }: ArgumentTest,
): PromiseTest[] {
  const leaf = leaves?.[path];
  if (leaf === undefined) return [];
  const isRefused = outcome === 'invalid_arguments';
  // A refusal that names no argument, or another one, says nothing of this one.
  if (isRefused && argument !== path) return [];
  if (!isRefused && outcome !== 'ok') return [];
  const within = isWithin(leaf);
  if (within !== undefined) return [{ isKept: within !== isRefused, n, call }];
  return isRefused ? [{ isKept: true, n, call }] : [];
}

interface ArgumentPromise {
  readonly kind: 'enum' | 'bound';
  readonly isPromised: (argument: DeclaredArgument) => boolean;
  /** Undefined if the shape does not tell. */
  readonly isWithin: (argument: DeclaredArgument, leaf: unknown) => boolean | undefined;
}

const ARGUMENT_PROMISES: readonly ArgumentPromise[] = [
  {
    kind: 'enum',
    isPromised: (argument) => argument.schemas.some(({ enum: values }) => Array.isArray(values)),
    isWithin: isWithinEnum,
  },
  {
    kind: 'bound',
    isPromised: (argument) =>
      hasKeyword(argument, ...NUMBER_BOUNDS, 'minLength', 'maxLength', 'minItems', 'maxItems'),
    isWithin: isWithinBounds,
  },
];

const NUMBER_BOUNDS = ['minimum', 'maximum', 'exclusiveMinimum', 'exclusiveMaximum'] as const;
/** Longer enum values are described by their length, like any other text. */
const MAX_ENUM_LENGTH = 64;

function isWithinEnum({ schemas }: DeclaredArgument, leaf: unknown): boolean | undefined {
  // A choice between schemas, of which one may take any value.
  if (schemas.some((schema) => !Array.isArray(schema['enum']) && schema['type'] !== undefined))
    return undefined;
  if (typeof leaf !== 'string') return undefined;
  if (leaf.startsWith('=')) return true;
  const values = schemas.flatMap((schema) => (Array.isArray(schema['enum']) ? schema['enum'] : []));
  if (values.some((value) => typeof value === 'string' && value.length > MAX_ENUM_LENGTH)) return undefined;
  return /^(?:string:|int$|number$)/.test(leaf) ? false : undefined;
}

function isWithinBounds({ schemas }: DeclaredArgument, leaf: unknown): boolean | undefined {
  const [schema, ...alternatives] = schemas;
  if (schema === undefined || alternatives.length > 0) return undefined;
  if (Array.isArray(leaf)) {
    const items = Number(leaf[0]);
    return isBetween([items, items], schema['minItems'], schema['maxItems']);
  }
  const [, text] = typeof leaf === 'string' ? (/^string:(\d+)$/.exec(leaf) ?? []) : [];
  if (text === undefined) return undefined;
  // JSON Schema counts code points and a shape UTF-16 units, of which a code point has one or two.
  return isBetween([Math.ceil(Number(text) / 2), Number(text)], schema['minLength'], schema['maxLength']);
}

/**
 * @param lengths the least and the most that it can be
 * @returns undefined without a bound, or if the length may be on either side of it
 */
function isBetween(
  [least, most]: readonly [number, number],
  low: unknown,
  high: unknown,
): boolean | undefined {
  const [min, max] = [toBound(low, 0), toBound(high, Number.POSITIVE_INFINITY)];
  if (min === 0 && max === Number.POSITIVE_INFINITY) return undefined;
  if (least >= min && most <= max) return true;
  return most < min || least > max ? false : undefined;
}

const toBound = (bound: unknown, none: number): number => (typeof bound === 'number' ? bound : none);

type Shape = Readonly<Record<string, unknown>>;

function parseObject(shape: string): Shape | undefined {
  try {
    const parsed: unknown = JSON.parse(shape);
    return isRecord(parsed) ? parsed : undefined;
  } catch {
    // Truncated or foreign.
    return undefined;
  }
}

/** Whether results have the structure that the output schema declares; undefined without an output schema. */
export function testOutput(
  { outputSchema }: ToolDefinition,
  calls: readonly ShapedCalls[],
): PromiseRecord | undefined {
  if (!isRecord(outputSchema)) return undefined;
  const tests = calls.flatMap(({ shape, outcome, n, call }): PromiseTest[] => {
    if (outcome === 'invalid_output') return [{ isKept: false, n, call }];
    const result = outcome === 'ok' ? parseObject(shape) : undefined;
    if (result === undefined) return [];
    const isKept = hasStructure(result['structuredContent'], outputSchema);
    return isKept === undefined ? [] : [{ isKept, n, call }];
  });
  return toPromiseRecord({ kind: 'output_schema' }, tests);
}

/** The required keys, and the type of each declared one. */
function hasStructure(structure: unknown, schema: Shape): boolean | undefined {
  if (structure === undefined) return false;
  if (!isRecord(structure)) return undefined;
  const isCut = Object.hasOwn(structure, '…');
  const required = Array.isArray(schema['required']) ? schema['required'] : [];
  const isMissing = required.some((name) => typeof name === 'string' && !Object.hasOwn(structure, name));
  if (isMissing) return isCut ? undefined : false;
  const properties = isRecord(schema['properties']) ? schema['properties'] : {};
  return Object.entries(properties).every(
    ([name, property]) => !Object.hasOwn(structure, name) || fitsType(structure[name], property),
  );
}

function fitsType(leaf: unknown, property: unknown): boolean {
  const type = isRecord(property) ? property['type'] : undefined;
  if (typeof type !== 'string') return true;
  const found = toLeafTypes(leaf);
  return found.length === 0 || found.includes(type);
}

/** Types that a value of this shape can have; empty if it does not tell. */
function toLeafTypes(leaf: unknown): readonly string[] {
  if (typeof leaf === 'boolean') return ['boolean'];
  if (Array.isArray(leaf)) return ['array'];
  if (isRecord(leaf)) return ['object'];
  const text = String(leaf);
  if (/^(?:string|json):/.test(text)) return ['string'];
  if (/^int(?::|$)/.test(text)) return ['integer', 'number'];
  if (text === 'number') return ['number'];
  return text === 'null' ? ['null'] : [];
}
