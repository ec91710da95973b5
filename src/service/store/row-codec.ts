// Rows of a table as objects of the model. A table of columns is written once; the select list, the schema of a
// selected row and the written line follow from it.

import { z } from 'zod';
import { formatDateTime64 } from '../../core/values/date-time64.ts';

/** A UInt64, as a number or as text. Every count and every epoch microsecond fits a double exactly. */
export const count = z.coerce.number().int().nonnegative();

/** A fingerprint as 16 hex digits; '' if there is none. */
export const hexSql = (column: string): string =>
  `if(${column} = 0, '', leftPad(lower(hex(${column})), 16, '0'))`;

/** A column that holds a value of the model. */
export interface Column<Value> {
  readonly name: string;
  /** The expression that selects it. */
  readonly sql: string;
  /** Parses the selected value. */
  readonly schema: z.ZodType<Value>;
  readonly write: (value: Value) => unknown;
}

const same = (value: unknown): unknown => value;

export const text = (name: string): Column<string> => ({ name, sql: name, schema: z.string(), write: same });

export const oneOf = <const Value extends string>(name: string, values: readonly Value[]): Column<Value> => ({
  ...{ name, sql: name, write: same },
  schema: z.enum(values),
});

export const texts = (name: string): Column<readonly string[]> => ({
  ...{ name, sql: name, write: same },
  schema: z.array(z.string()),
});

export const number = (name: string): Column<number> => ({ name, sql: name, schema: count, write: same });

export const flag = (name: string): Column<boolean> => ({
  name,
  sql: name,
  schema: count.transform((value) => value !== 0),
  write: (value) => (value ? 1 : 0),
});

/** Microseconds since the epoch. */
export const instant = (name: string): Column<number> => ({
  name,
  sql: `toUnixTimestamp64Micro(${name})`,
  schema: count,
  write: formatDateTime64,
});

/** A value as JSON text. */
export const json = <Value>(name: string, schema: z.ZodType<Value>): Column<Value> => ({
  name,
  sql: name,
  schema: z.string().transform((value, context) => {
    const parsed = schema.safeParse(parseJson(value));
    if (parsed.success) return parsed.data;
    context.addIssue({ code: 'custom', message: 'must be valid JSON of this column' });
    return z.NEVER;
  }),
  write: (value) => JSON.stringify(value),
});

function parseJson(value: string): unknown {
  try {
    return JSON.parse(value);
  } catch {
    // The schema rejects it.
    return undefined;
  }
}

export type SelectedColumn = Pick<Column<unknown>, 'sql' | 'schema'>;

type Columns<Row> = { readonly [Field in keyof Row]-?: Column<Row[Field]> };

export interface RowCodec<Row> {
  /** What is selected; each column has the name of its field. */
  readonly select: string;
  readonly row: z.ZodObject<{ [Field in keyof Row]-?: z.ZodType<Row[Field]> }>;
  /** The row with the names of its columns, for an insert. */
  readonly toColumns: (row: Row) => Readonly<Record<string, unknown>>;
}

export function createRowCodec<Row>(columns: Columns<Row>): RowCodec<Row> {
  const entries = Object.entries(columns) as [keyof Row & string, Column<unknown>][];
  return {
    ...toSelection(entries),
    toColumns: (row) =>
      Object.fromEntries(entries.map(([field, { name, write }]) => [name, write(row[field])])),
  };
}

/** The select list and the schema of a row with these columns. */
export function toSelection<Row>(
  entries: readonly (readonly [string, SelectedColumn])[],
): Pick<RowCodec<Row>, 'select' | 'row'> {
  const select = entries.map(([field, { sql }]) => (sql === field ? sql : `${sql} AS ${field}`));
  const shape = Object.fromEntries(entries.map(([field, { schema }]) => [field, schema]));
  return {
    select: select.join(', '),
    // The entries have the fields of `Row`, each with the schema of its value.
    row: z.object(shape) as unknown as RowCodec<Row>['row'],
  };
}
