// A schema as a table; nested arguments are indented.
import { type Column, DataTable } from '../../components/data-table.tsx';
import type { SchemaRow } from './prepare-schema-rows.ts';

const COLUMNS: readonly Column<SchemaRow>[] = [
  {
    id: 'name',
    header: 'Argument',
    cell: ({ name, depth, path }) => (
      <code className="argument" style={{ paddingInlineStart: depth * 16 }} title={path}>
        {name}
      </code>
    ),
  },
  {
    id: 'type',
    header: 'Type',
    cell: ({ type, isRequired }) => (
      <>
        {type}
        <span className="muted">{isRequired ? ', required' : ''}</span>
      </>
    ),
  },
  {
    id: 'notes',
    header: 'Bounds',
    priority: 2,
    cell: ({ notes }) => (notes.length > 0 ? notes.join(', ') : <span className="muted">none</span>),
  },
  {
    id: 'description',
    header: 'Says',
    priority: 3,
    cell: ({ description }) =>
      description ? <span title={description}>{description}</span> : <span className="muted">nothing</span>,
  },
];

export function SchemaTable({
  label,
  rows,
}: {
  readonly label: string;
  readonly rows: readonly SchemaRow[];
}) {
  if (rows.length === 0) return <p className="muted">None.</p>;
  return <DataTable label={label} columns={COLUMNS} rows={rows} keyOf={({ path }) => path} />;
}
