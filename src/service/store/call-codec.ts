// Reads calls: from the names of fields follow what is selected FROM calls and the schema of a row.

import { z } from 'zod';
import {
  CALL_COLUMNS,
  type ColumnKind,
  GUARD_COLUMNS,
  type StoredCall,
} from '../../core/model/call-columns.ts';
import type { ToolCall } from '../../core/model/tool-call.ts';
import {
  flag,
  hexSql,
  instant,
  number,
  type RowCodec,
  type SelectedColumn,
  text,
  toSelection,
} from './row-codec.ts';

const KINDS: Readonly<Record<ColumnKind, (name: string) => SelectedColumn>> = {
  text,
  count: number,
  flag,
  instant,
  fingerprint: (name) => ({ sql: hexSql(name), schema: z.string() }),
  fingerprints: (name) => ({
    sql: `mapApply((name, print) -> (name, ${hexSql('print')}), ${name})`,
    schema: z.record(z.string(), z.string()),
  }),
  attributes: (name) => ({ sql: name, schema: z.record(z.string(), z.string()) }),
};

/** Selects some fields of calls; a row has exactly these fields. */
export function selectCalls<const Field extends keyof StoredCall>(
  fields: readonly Field[],
): Pick<RowCodec<Pick<StoredCall, Field>>, 'select' | 'row'> {
  return toSelection(fields.map((field) => [field, toSelected(field)]));
}

const COLUMNS = { ...CALL_COLUMNS, ...GUARD_COLUMNS };

function toSelected(field: keyof StoredCall): SelectedColumn {
  const column: { name: string; kind: ColumnKind; values?: readonly string[] } = COLUMNS[field];
  const selected = KINDS[column.kind](column.name);
  return column.values === undefined ? selected : { ...selected, schema: z.enum(column.values) };
}

/** The fields of a call, in the order of their columns. */
export const CALL_FIELDS = Object.keys(CALL_COLUMNS) as (keyof ToolCall)[];
