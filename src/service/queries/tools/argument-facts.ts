// One argument of a tool as its page shows it: what is declared next to what was sent. Pure; the reads are in
// argument-use.ts.

import type { ArgumentStats } from '../../../contract/tool.ts';
import { type DeclaredArgument, declaredArguments } from '../../../core/advice/declared-arguments.ts';
import type { ToolDefinition } from '../../../core/model/catalogue.ts';
import { toProportion } from '../query/proportion.ts';
import type { ArgumentUse } from './argument-use.ts';
import type { CapturedValues } from './captured-values.ts';
import { describeDeclaredArgument } from './describe-declared-argument.ts';
import { type PathFacts, toPathFacts } from './path-facts.ts';

const MAX_ARGUMENTS = 200;
const MAX_VALUES = 20;

interface ArgumentSources {
  readonly definition: ToolDefinition | undefined;
  readonly use: ArgumentUse;
  /** Refused calls by argument path. */
  readonly invalid: ReadonlyMap<string, number>;
  /** Values by name, where they are captured. */
  readonly captured: CapturedValues;
}

/** Declared arguments in schema order, then others that were sent or refused. */
export function toArgumentFacts({ definition, use, invalid, captured }: ArgumentSources): ArgumentStats[] {
  const paths = toPathFacts(use.shapes);
  const declared = new Map(
    (definition === undefined ? [] : declaredArguments(definition)).map((one) => [one.path, one]),
  );
  const others = [...use.names.map(({ name }) => name), ...paths.keys(), ...invalid.keys()];
  const names = [...new Set([...declared.keys(), ...others])].slice(0, MAX_ARGUMENTS);
  const shaped = use.shapes.reduce((sum, { calls }) => sum + calls, 0);
  return names.map((path) =>
    toFactsOfPath(path, {
      declared: declared.get(path),
      use,
      facts: paths.get(path),
      invalid,
      shaped,
      captured: captured.get(path),
    }),
  );
}

interface ArgumentParts {
  readonly declared: DeclaredArgument | undefined;
  readonly use: ArgumentUse;
  readonly facts: PathFacts | undefined;
  readonly invalid: ReadonlyMap<string, number>;
  /** Calls with a recorded shape. */
  readonly shaped: number;
  readonly captured: ReadonlyMap<string, number> | undefined;
}

function toFactsOfPath(
  path: string,
  { declared, use, facts, invalid, shaped, captured }: ArgumentParts,
): ArgumentStats {
  const name = use.names.find((one) => one.name === path);
  const isTop = !/[.[]/.test(path);
  const used =
    isTop && use.names.length > 0
      ? toProportion(name?.sent ?? 0, use.known)
      : toProportion(facts?.sent ?? 0, shaped);
  return {
    path,
    isDeclared: declared !== undefined,
    isRequired: declared?.required ?? false,
    declared: declared === undefined ? '' : describeDeclaredArgument(declared),
    used,
    invalid: invalid.get(path) ?? 0,
    types: rankByCount(facts?.types ?? {}).map(([type, count]) => ({ type, count })),
    distinct:
      name === undefined || name.compared === 0
        ? null
        : {
            values: name.distinct_values,
            calls: name.compared,
            mostFrequent: name.most_frequent,
            isExact: name.exact_compared === name.compared,
          },
    longestText: facts?.longestText ?? 0,
    default: toDefaultUse({ declared, facts, used }),
    values: rankByCount(captured ? Object.fromEntries(captured) : (facts?.values ?? {}))
      .slice(0, MAX_VALUES)
      .map(([value, count]) => ({ value, count })),
  };
}

/**
 * How often the default applied, either omitted or sent explicitly; a default that a shape cannot represent
 * is not distinguished from other values.
 */
function toDefaultUse({
  declared,
  facts,
  used,
}: Pick<ArgumentParts, 'declared' | 'facts'> & Pick<ArgumentStats, 'used'>): ArgumentStats['default'] {
  const value = declared?.schemas.map((schema) => schema['default']).find((one) => one !== undefined);
  if (value === undefined || used.value === null) return null;
  const isListable = ['string', 'number', 'boolean'].includes(typeof value);
  return {
    omitted: Math.round(used.n * (1 - used.value)),
    sent: isListable ? (facts?.values[String(value)] ?? 0) : null,
  };
}

function rankByCount(counts: Readonly<Record<string, number>>): [string, number][] {
  return Object.entries(counts).sort(([one, n], [other, m]) => m - n || (one < other ? -1 : 1));
}
