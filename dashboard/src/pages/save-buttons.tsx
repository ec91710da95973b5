// Calls as a file, a button a format: all that was asked for, whatever is on the screen. What could not be saved is said beside.
import { useState } from 'react';
import { download } from '../api/download.ts';

interface SaveFormat {
  readonly name: string;
  readonly accept: string;
  readonly ending: string;
}

export const CSV: SaveFormat = { name: 'CSV', accept: 'text/csv', ending: 'csv' };
export const NDJSON: SaveFormat = { name: 'NDJSON', accept: 'application/x-ndjson', ending: 'ndjson' };
export const OTLP: SaveFormat = { name: 'OTLP', accept: 'application/x-otlp+json', ending: 'otlp.json' };

interface SaveButtonsProps {
  readonly formats: readonly SaveFormat[];
  /** After "Save". */
  readonly what: string;
  /** Without its ending. */
  readonly fileName: string;
  /** Asked when somebody saves. */
  readonly toQuery: () => Parameters<typeof download>[1]['query'];
}

export function SaveButtons({ formats, what, fileName, toQuery }: SaveButtonsProps) {
  const [busy, setBusy] = useState<string>();
  const [problem, setProblem] = useState<string>();
  async function save({ name, accept, ending }: SaveFormat): Promise<void> {
    setBusy(name);
    setProblem(undefined);
    try {
      await download('calls', { accept, fileName: `${fileName}.${ending}`, query: toQuery() });
    } catch (error) {
      setProblem(error instanceof Error ? error.message : 'The file could not be saved.');
    }
    setBusy(undefined);
  }
  return (
    <>
      {formats.map((format) => (
        <button
          key={format.name}
          type="button"
          className="button bare"
          disabled={busy !== undefined}
          aria-label={`Save ${what} as ${format.name}`}
          onClick={() => void save(format)}
        >
          {busy === format.name ? 'Saving…' : format.name}
        </button>
      ))}
      {problem ? (
        <span className="problem" role="alert">
          {problem}
        </span>
      ) : null}
    </>
  );
}
