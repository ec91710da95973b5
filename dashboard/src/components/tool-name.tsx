// A tool's name with its line colour, and with its server when another server has a tool of that name.
import { Link } from 'wouter';

interface ToolRef {
  readonly server: string;
  readonly tool: string;
}

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
      {slot === undefined ? null : <i className={`swatch s${slot}`} aria-hidden="true" />}
      <Link href={path} title={`${row.tool} of ${row.server}`}>
        {row.tool}
      </Link>
      {isAmbiguous ? <span className="muted of">{row.server}</span> : null}
    </span>
  );
}
