// The SQL of one filter. A single value stays an equality, which is what the engine looks up in its indexes.

import { type FilterValue, toFilterChoice } from '../../../contract/filter-value.ts';

/** Conditions joined by AND, and their parameters. */
export interface Where {
  readonly sql: string;
  readonly params: Readonly<Record<string, unknown>>;
}

/** How a row is compared with values. */
export interface FilterComparison {
  /** With one value: `value` is SQL of a String. */
  readonly equals: (value: string) => string;
  /** With any of several: `values` is SQL of an Array(String). */
  readonly isAnyOf: (values: string) => string;
}

/** Compares a column. */
export function compareColumn(column: string): FilterComparison {
  return { equals: (value) => `${column} = ${value}`, isAnyOf: (values) => `${column} IN ${values}` };
}

/** Compares a column of arrays: one element suffices. */
export function compareElements(column: string): FilterComparison {
  return {
    equals: (value) => `has(${column}, ${value})`,
    isAnyOf: (values) => `hasAny(${column}, ${values})`,
  };
}

/**
 * A filter as a condition.
 *
 * @param name prefix of the parameters; the parameter of a single value has this name
 */
export function whereFilter(
  name: string,
  value: FilterValue | undefined,
  comparison: FilterComparison,
): Where {
  if (typeof value === 'string')
    return { sql: comparison.equals(`{${name}:String}`), params: { [name]: value } };
  const { only, except } = toFilterChoice(value);
  const [onlyName, exceptName] = [`${name}_only`, `${name}_except`];
  const conditions = [
    ...(only.length > 0 ? [`(${comparison.isAnyOf(`{${onlyName}:Array(String)}`)})`] : []),
    ...(except.length > 0 ? [`NOT (${comparison.isAnyOf(`{${exceptName}:Array(String)}`)})`] : []),
  ];
  return {
    sql: conditions.join(' AND '),
    params: {
      ...(only.length > 0 && { [onlyName]: only }),
      ...(except.length > 0 && { [exceptName]: except }),
    },
  };
}
