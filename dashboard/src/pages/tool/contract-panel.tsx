// The contract of a tool that agents receive: its description, arguments and annotations.
import { useState } from 'react';
import { Icon } from '../../components/icon.tsx';
import { NotCollected } from '../../components/not-collected.tsx';
import { Panel } from '../../components/panel.tsx';
import { formatCount } from '../../format/format-number.ts';
import { prepareSchemaRows } from './prepare-schema-rows.ts';
import { SchemaTable } from './schema-table.tsx';
import type { ToolPanelProps } from './tool-panel-props.ts';

export function ContractPanel({ response }: Pick<ToolPanelProps, 'response'>) {
  const [asJson, setAsJson] = useState(false);
  const [newest] = response.versions;
  if (!newest) {
    return (
      <Panel title="Contract">
        <div className="state empty">
          {response.listed === 'unlisted' ? (
            <p>Its server never listed it: there is no contract, only the name that agents asked for.</p>
          ) : (
            <NotCollected
              kind="catalogue"
              missing="No listing of it was seen, so its contract is not known."
            />
          )}
        </div>
      </Panel>
    );
  }
  const { definition, definitionTokens } = newest;
  const { description, title } = definition;
  return (
    <Panel
      title="Contract"
      note={`≈ ${formatCount(definitionTokens)} tokens in every listing`}
      actions={
        <button
          type="button"
          className="button bare"
          aria-pressed={asJson}
          aria-label={`Contract as ${asJson ? 'table' : 'JSON'}`}
          onClick={() => setAsJson(!asJson)}
        >
          <Icon name="table" /> {asJson ? 'As table' : 'As JSON'}
        </button>
      }
      className="contract"
    >
      {asJson ? (
        <pre className="json">{JSON.stringify(definition, null, 2)}</pre>
      ) : (
        <>
          <p className="description">
            {typeof title === 'string' ? <strong>{title}. </strong> : null}
            {typeof description === 'string' && description ? (
              description
            ) : (
              <span className="muted">It has no description.</span>
            )}
          </p>
          <ToolAnnotations value={definition['annotations']} />
          <SchemaTable label="Arguments it declares" rows={prepareSchemaRows(definition['inputSchema'])} />
          {definition['outputSchema'] ? (
            <>
              <h3>What it returns</h3>
              <SchemaTable label="Fields it returns" rows={prepareSchemaRows(definition['outputSchema'])} />
            </>
          ) : null}
        </>
      )}
    </Panel>
  );
}

function ToolAnnotations({ value }: { readonly value: unknown }) {
  const entries = typeof value === 'object' && value !== null ? Object.entries(value) : [];
  if (entries.length === 0) return <p className="muted small">It has no annotations.</p>;
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
