// Describes a declared argument in a few words that fit a table cell: `integer 1…100`, `one of open, closed`.

import { type DeclaredArgument, typesOf } from '../../../core/advice/declared-arguments.ts';

/** Enum values that are listed. */
const MAX_ENUM_VALUES = 6;

/** @returns `any` if nothing is declared */
export function describeDeclaredArgument(argument: DeclaredArgument): string {
  const values = listEnumValues(argument);
  if (values.length > 0) return `one of ${joinValues(values)}`;
  const types = [...typesOf(argument)];
  const words = [
    types.length > 0 ? types.join(' or ') : 'any',
    describeBounds(argument),
    findText(argument, 'format'),
    findNumber(argument, 'maxLength') === undefined
      ? ''
      : `at most ${findNumber(argument, 'maxLength')} characters`,
    describeDefault(argument),
  ];
  return words.filter((word) => word !== '').join(' ');
}

function listEnumValues({ schemas }: DeclaredArgument): unknown[] {
  return schemas.flatMap((schema) => {
    if (Array.isArray(schema['enum'])) return schema['enum'];
    return schema['const'] === undefined ? [] : [schema['const']];
  });
}

function joinValues(values: readonly unknown[]): string {
  const named = values.slice(0, MAX_ENUM_VALUES).map(String).join(', ');
  return values.length > MAX_ENUM_VALUES ? `${named} and ${values.length - MAX_ENUM_VALUES} more` : named;
}

function describeBounds(argument: DeclaredArgument): string {
  const minimum = findNumber(argument, 'minimum') ?? findNumber(argument, 'exclusiveMinimum');
  const maximum = findNumber(argument, 'maximum') ?? findNumber(argument, 'exclusiveMaximum');
  if (minimum !== undefined && maximum !== undefined) return `${minimum}…${maximum}`;
  if (minimum !== undefined) return `from ${minimum}`;
  return maximum === undefined ? '' : `up to ${maximum}`;
}

function describeDefault({ schemas }: DeclaredArgument): string {
  const schema = schemas.find((one) => one['default'] !== undefined);
  return schema === undefined ? '' : `default ${JSON.stringify(schema['default']).slice(0, 40)}`;
}

function findNumber({ schemas }: DeclaredArgument, keyword: string): number | undefined {
  const value = schemas.map((schema) => schema[keyword]).find((one) => typeof one === 'number');
  return typeof value === 'number' ? value : undefined;
}

function findText({ schemas }: DeclaredArgument, keyword: string): string {
  const value = schemas.map((schema) => schema[keyword]).find((one) => typeof one === 'string');
  return typeof value === 'string' ? value : '';
}
