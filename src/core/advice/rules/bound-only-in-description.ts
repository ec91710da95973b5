// TD011: a bound of a number that stands in the description and not in the schema, where a client could have kept it.

import type { ToolDefinition } from '../../model/catalogue.ts';
import {
  type DeclaredArgument,
  declaredArguments,
  descriptionOf,
  hasKeyword,
  typesOf,
} from '../declared-arguments.ts';
import type { DefinitionEdit } from '../finding.ts';
import { formatList } from '../format-counts.ts';
import type { StaticRule } from '../rule.ts';

const UPPER =
  /\b(?:max(?:imum)?(?: value| of| is|:|=)*|at most|no more than|up to|not exceed)[\s:`(]*(\d[\d,_]*)\b(?!\s*(?:%|[kmg]b\b|characters|chars|bytes|words|days|times|decimals?|digits?|places|significant))/i;
const LOWER = /\b(?:min(?:imum)?(?: value| of| is|:|=)*|at least|no less than)[\s:`(]*(\d[\d,_]*)\b/i;
const BETWEEN =
  /(?:\bbetween |\bfrom |[([])(\d[\d,_]*)(?:\s*(?:-|–|to|and|\.\.+)\s*)(\d[\d,_]*)(?:[)\]]|\b)/i;

export const boundOnlyInDescription: StaticRule = {
  id: 'TD011',
  level: 'note',
  title: 'Bound only in words',
  condition: 'The description of a number gives a minimum or maximum, and the schema has none.',
  disprovedBy: 'The tool takes numbers beyond that bound.',
  check: (tools) =>
    tools.flatMap((tool) => declaredArguments(tool).flatMap((argument) => toObservations(tool, argument))),
};

function toObservations({ name: tool }: ToolDefinition, argument: DeclaredArgument) {
  const types = typesOf(argument);
  if (!types.has('number') && !types.has('integer')) return [];
  const bounds = statedBounds(descriptionOf(argument));
  const edits: DefinitionEdit[] = [
    ...(bounds.minimum !== undefined && !hasKeyword(argument, 'minimum', 'exclusiveMinimum')
      ? [{ tool, pointer: `${argument.pointer}/minimum`, after: bounds.minimum }]
      : []),
    ...(bounds.maximum !== undefined && !hasKeyword(argument, 'maximum', 'exclusiveMaximum')
      ? [{ tool, pointer: `${argument.pointer}/maximum`, after: bounds.maximum }]
      : []),
  ];
  if (edits.length === 0 || hasKeyword(argument, 'enum', 'const')) return [];
  const missing = edits.map(({ pointer, after }) => `${pointer.split('/').at(-1)} ${after}`);
  return [
    {
      tool,
      argument: argument.path,
      finding: `The description of "${argument.path}" states ${formatList(missing)}, which the schema does not: nothing stops a call beyond it.`,
      evidence: { counts: { ...bounds }, names: {} },
      suggestion: { text: 'Declare the bound in the schema.', edits },
    },
  ];
}

function statedBounds(text: string): { readonly minimum?: number; readonly maximum?: number } {
  const between = BETWEEN.exec(text);
  if (between && toNumber(between[1]) < toNumber(between[2]))
    return { minimum: toNumber(between[1]), maximum: toNumber(between[2]) };
  const [upper, lower] = [UPPER.exec(text), LOWER.exec(text)];
  return {
    ...(lower && { minimum: toNumber(lower[1]) }),
    ...(upper && { maximum: toNumber(upper[1]) }),
  };
}

const toNumber = (digits = ''): number => Number(digits.replaceAll(/[,_]/g, ''));
