// A tool's name with its line colour, and with its server when another server has a tool of that name.
import { Link } from 'wouter';
import type { ToolRef } from '../view/tool-ref.ts';

interface ToolNameProps {
  readonly row: ToolRef;
  /** The colour slot of its line; omit it when there is no chart. */
  readonly slot?: number;
  /** All rows of the same table. */
  readonly rows: readonly ToolRef[];
  readonly path: string;
}

export function ToolName({ row, slot, rows, path }: ToolNameProps) {
  const isAmbiguous = rows.some(({ server, tool }) => tool === row.tool && server !== row.server);
  return (
    <span className="tool">
      {slot === undefined ? null : <Swatch slot={slot} />}
      <Link href={path} title={`${row.tool} of ${row.server}`}>
        {row.tool}
      </Link>
      {isAmbiguous ? <span className="muted of">{row.server}</span> : null}
    </span>
  );
}

/** The colour of a line; neutral in slot 0. */
export function Swatch({ slot }: { readonly slot: number }) {
  const style = slot === 0 ? undefined : { background: `var(--series-${slot})` };
  return <i className="swatch" style={style} aria-hidden="true" />;
}
