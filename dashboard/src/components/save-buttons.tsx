// Saves calls as a file, one button per format: all calls that match the query, not only those on the screen.
// Errors are shown next to the buttons.
import { useState } from 'react';
import { download } from '../api/download.ts';
import { ProblemText } from './problem-text.tsx';

interface SaveFormat {
  readonly name: string;
  readonly accept: string;
  readonly extension: string;
}

export const CSV: SaveFormat = { name: 'CSV', accept: 'text/csv', extension: 'csv' };
export const NDJSON: SaveFormat = { name: 'NDJSON', accept: 'application/x-ndjson', extension: 'ndjson' };
export const OTLP: SaveFormat = { name: 'OTLP', accept: 'application/x-otlp+json', extension: 'otlp.json' };

interface SaveButtonsProps {
  readonly formats: readonly SaveFormat[];
  /** Follows "Save" in the accessible name. */
  readonly what: string;
  /** Without its extension. */
  readonly fileName: string;
  /** Evaluated when a button is pressed. */
  readonly toQueryParams: () => Parameters<typeof download>[1]['query'];
}

export function SaveButtons({ formats, what, fileName, toQueryParams }: SaveButtonsProps) {
  const [savingFormat, setSavingFormat] = useState<string>();
  const [problem, setProblem] = useState<string>();
  async function save({ name, accept, extension }: SaveFormat): Promise<void> {
    setSavingFormat(name);
    setProblem(undefined);
    try {
      await download('calls', { accept, fileName: `${fileName}.${extension}`, query: toQueryParams() });
    } catch (error) {
      setProblem(error instanceof Error ? error.message : 'The file could not be saved.');
    }
    setSavingFormat(undefined);
  }
  return (
    <>
      {formats.map((format) => (
        <button
          key={format.name}
          type="button"
          className="button bare"
          disabled={savingFormat !== undefined}
          aria-label={`Save ${what} as ${format.name}`}
          onClick={() => void save(format)}
        >
          {savingFormat === format.name ? 'Saving…' : format.name}
        </button>
      ))}
      <ProblemText problem={problem} />
    </>
  );
}
