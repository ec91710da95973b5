// Chooses the columns of the list of calls; the browser remembers them.
import { useId } from 'react';
import type { Column } from '../../components/data-table.tsx';
import { Icon } from '../../components/icon.tsx';
import { usePreferences, writePreference } from '../../view/preferences.ts';
import { DEFAULT_CALL_COLUMNS, REQUIRED_CALL_COLUMN } from './call-columns.tsx';

/** The ids of the columns to show. */
export function useCallColumnIds(): readonly string[] {
  return usePreferences().callColumns ?? DEFAULT_CALL_COLUMNS;
}

interface ColumnChooserProps {
  readonly columns: readonly Pick<Column<never>, 'id' | 'header'>[];
}

export function ColumnChooser({ columns }: ColumnChooserProps) {
  const id = useId();
  const shown = useCallColumnIds();
  const toggle = (column: string): void => {
    const next = shown.includes(column) ? shown.filter((one) => one !== column) : [...shown, column];
    writePreference({ callColumns: next });
  };
  return (
    <div className="menu">
      <button type="button" className="button" popoverTarget={id}>
        Columns <Icon name="down" />
      </button>
      <div id={id} popover="auto" className="popover calls-menu">
        <fieldset className="column-choices">
          <legend className="visually-hidden">Columns to show</legend>
          {columns.map(({ id: column, header }) => (
            <label key={column}>
              <input
                type="checkbox"
                checked={shown.includes(column)}
                disabled={column === REQUIRED_CALL_COLUMN}
                onChange={() => toggle(column)}
              />
              {header}
            </label>
          ))}
        </fieldset>
        <button
          type="button"
          className="button bare"
          onClick={() => writePreference({ callColumns: undefined })}
        >
          Reset
        </button>
      </div>
    </div>
  );
}
