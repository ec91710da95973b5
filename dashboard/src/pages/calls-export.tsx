// Saves the calls of the page as a file: all of the range and its filters, not only those on the screen.
import { useState } from 'react';
import { download } from '../api/download.ts';
import { toCallsQuery } from '../api/questions.ts';
import type { CallsState } from '../paths.ts';
import type { View } from '../view/view.ts';

const FORMATS = [
  { name: 'CSV', accept: 'text/csv', ending: 'csv' },
  { name: 'NDJSON', accept: 'application/x-ndjson', ending: 'ndjson' },
  { name: 'OTLP', accept: 'application/x-otlp+json', ending: 'otlp.json' },
] as const;

interface CallsExportProps {
  readonly view: View;
  readonly state: CallsState;
}

export function CallsExport({ view, state }: CallsExportProps) {
  const [busy, setBusy] = useState<string>();
  const [problem, setProblem] = useState<string>();
  async function save({ name, accept, ending }: (typeof FORMATS)[number]): Promise<void> {
    setBusy(name);
    setProblem(undefined);
    try {
      await download('calls', { accept, fileName: `calls.${ending}`, query: toCallsQuery(view, state) });
    } catch (error) {
      setProblem(error instanceof Error ? error.message : 'The file could not be saved.');
    }
    setBusy(undefined);
  }
  return (
    <span className="exports">
      {FORMATS.map((format) => (
        <button
          key={format.name}
          type="button"
          className="button bare"
          disabled={busy !== undefined}
          aria-label={`Save these calls as ${format.name}`}
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
    </span>
  );
}
