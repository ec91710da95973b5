// The definition of a tool that agents receive: its description, arguments and annotations.
import { useState } from 'react';
import { type Column, DataTable } from '../../components/data-table.tsx';
import { Icon } from '../../components/icon.tsx';
import { NotCollected } from '../../components/not-collected.tsx';
import { Panel } from '../../components/panel.tsx';
import { NoValue } from '../../components/table-columns.tsx';
import { formatCount } from '../../format/format-number.ts';
import { prepareSchemaRows, type SchemaRow } from './prepare-schema-rows.ts';
import type { ToolPanelProps } from './tool-panel-props.ts';

const TITLE = 'Schema';

export function SchemaPanel({ response }: Pick<ToolPanelProps, 'response'>) {
  const [asJson, setAsJson] = useState(false);
  const [newest] = response.versions;
  if (!newest) {
    return (
      <Panel title={TITLE}>
        <div className="state empty">
          {response.listed === 'unlisted' ? (
            <p>Its server never listed it, so it has no schema.</p>
          ) : (
            <NotCollected kind="catalogue" missing="No listing of it was seen, so its schema is unknown." />
          )}
        </div>
      </Panel>
    );
  }
  const { definition, definitionTokens } = newest;
  return (
    <Panel
      title={TITLE}
      note={`≈ ${formatCount(definitionTokens)} tokens in every listing`}
      actions={
        <button
          type="button"
          className="button bare"
          aria-pressed={asJson}
          aria-label={`${TITLE} as ${asJson ? 'table' : 'JSON'}`}
          onClick={() => setAsJson(!asJson)}
        >
          <Icon name="table" /> {asJson ? 'As table' : 'As JSON'}
        </button>
      }
      className="schema"
    >
      {asJson ? (
        <pre className="json">{JSON.stringify(definition, null, 2)}</pre>
      ) : (
        <Definition definition={definition} />
      )}
    </Panel>
  );
}

type Definition = ToolPanelProps['response']['versions'][number]['definition'];

function Definition({ definition }: { readonly definition: Definition }) {
  const { description, title } = definition;
  const { annotations, inputSchema, outputSchema } = definition;
  return (
    <>
      <p className="description">
        {typeof title === 'string' ? <strong>{title}. </strong> : null}
        {typeof description === 'string' && description ? description : <NoValue text="No description." />}
      </p>
      <ToolAnnotations value={annotations} />
      <SchemaTable label="Arguments" rows={prepareSchemaRows(inputSchema)} />
      {outputSchema ? (
        <>
          <h3>Result</h3>
          <SchemaTable label="Result fields" rows={prepareSchemaRows(outputSchema)} />
        </>
      ) : null}
    </>
  );
}

function ToolAnnotations({ value }: { readonly value: unknown }) {
  const entries = typeof value === 'object' && value !== null ? Object.entries(value) : [];
  if (entries.length === 0) return <p className="muted small">No annotations.</p>;
  return (
    <p className="annotations">
      {entries.map(([name, annotation]) => (
        <code key={name}>
          {name}: {String(annotation)}
        </code>
      ))}
    </p>
  );
}

/** Nested arguments are indented. */
const SCHEMA_COLUMNS: readonly Column<SchemaRow>[] = [
  {
    id: 'name',
    header: 'Name',
    cell: ({ name, depth, path }) => (
      <code style={{ paddingInlineStart: depth * 16 }} title={path}>
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
    header: 'Constraints',
    priority: 2,
    cell: ({ notes }) => (notes.length > 0 ? notes.join(', ') : <NoValue />),
  },
  {
    id: 'description',
    header: 'Description',
    priority: 3,
    cell: ({ description }) => (description ? <span title={description}>{description}</span> : <NoValue />),
  },
];

function SchemaTable({ label, rows }: { readonly label: string; readonly rows: readonly SchemaRow[] }) {
  if (rows.length === 0) return <p className="muted">None.</p>;
  return <DataTable label={label} columns={SCHEMA_COLUMNS} rows={rows} keyOf={({ path }) => path} />;
}
