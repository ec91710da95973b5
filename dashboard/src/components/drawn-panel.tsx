// A panel with a drawing in it, or with its table in the drawing's place. Both, and the file, are made of one table of
// figures; the address leads to the panel by its name.
import type { ReactNode } from 'react';
import { prepareTableCsv } from '../charts/prepare-csv.ts';
import { useTwin } from '../view/use-twin.ts';
import { ChartButtons, type Drawn } from './chart-buttons.tsx';
import type { FigureTable } from './figure-table.ts';
import { Panel } from './panel.tsx';
import { TwinTable } from './twin-table.tsx';

interface DrawnPanelProps<T> extends Drawn {
  readonly note?: ReactNode;
  readonly actions?: ReactNode;
  readonly className?: string;
  /** Undefined until the figures are there. */
  readonly table: FigureTable<T> | undefined;
  /** Whether the drawing is a table already: then there is none to put in its place. */
  readonly isTable?: boolean;
  readonly children: ReactNode;
}

export function DrawnPanel<T extends object>(props: DrawnPanelProps<T>) {
  const { id, title, of, range, note, actions, className, table, isTable = false, children } = props;
  const twin = useTwin(id);
  const isTwin = twin.isShown && !isTable && table !== undefined && table.rows.length > 0;
  const hasFigures = table !== undefined && table.rows.length > 0;
  return (
    <Panel
      title={title}
      note={note}
      anchor={`#${id}`}
      {...(className === undefined ? {} : { className })}
      actions={
        <>
          {actions}
          <ChartButtons
            drawn={{ id, title, range, ...(of && { of }) }}
            toCsv={hasFigures ? () => prepareTableCsv(table) : undefined}
            twin={hasFigures && !isTable ? twin : undefined}
          />
        </>
      }
    >
      {isTwin ? <TwinTable table={table} /> : children}
    </Panel>
  );
}
