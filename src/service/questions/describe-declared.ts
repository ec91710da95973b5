// What a definition declares of an argument, in the few words that fit a table cell: `integer 1…100`, `one of open, closed`.

import { type DeclaredArgument, typesOf } from '../../core/advice/declared-arguments.ts';

/** Values of an enum that are named. */
const MOST_VALUES = 6;

/** @returns `any` where nothing is declared */
export function describeDeclared(argument: DeclaredArgument): string {
  const values = enumOf(argument);
  if (values.length > 0) return `one of ${listed(values)}`;
  const types = [...typesOf(argument)];
  const words = [
    types.length > 0 ? types.join(' or ') : 'any',
    boundsOf(argument),
    textOf(argument, 'format'),
    numberOf(argument, 'maxLength') === undefined
      ? ''
      : `at most ${numberOf(argument, 'maxLength')} characters`,
    defaultOf(argument),
  ];
  return words.filter((word) => word !== '').join(' ');
}

function enumOf({ schemas }: DeclaredArgument): unknown[] {
  return schemas.flatMap((schema) => {
    if (Array.isArray(schema['enum'])) return schema['enum'];
    return schema['const'] === undefined ? [] : [schema['const']];
  });
}

function listed(values: readonly unknown[]): string {
  const named = values.slice(0, MOST_VALUES).map(String).join(', ');
  return values.length > MOST_VALUES ? `${named} and ${values.length - MOST_VALUES} more` : named;
}

function boundsOf(argument: DeclaredArgument): string {
  const least = numberOf(argument, 'minimum') ?? numberOf(argument, 'exclusiveMinimum');
  const most = numberOf(argument, 'maximum') ?? numberOf(argument, 'exclusiveMaximum');
  if (least !== undefined && most !== undefined) return `${least}…${most}`;
  if (least !== undefined) return `from ${least}`;
  return most === undefined ? '' : `up to ${most}`;
}

function defaultOf({ schemas }: DeclaredArgument): string {
  const schema = schemas.find((one) => one['default'] !== undefined);
  return schema === undefined ? '' : `default ${JSON.stringify(schema['default']).slice(0, 40)}`;
}

function numberOf({ schemas }: DeclaredArgument, keyword: string): number | undefined {
  const value = schemas.map((schema) => schema[keyword]).find((one) => typeof one === 'number');
  return typeof value === 'number' ? value : undefined;
}

function textOf({ schemas }: DeclaredArgument, keyword: string): string {
  const value = schemas.map((schema) => schema[keyword]).find((one) => typeof one === 'string');
  return typeof value === 'string' ? value : '';
}
