// Takes a session along: its calls as a file, or as text for an issue.
import { useState } from 'react';
import type { SessionAnswer, SessionCallRow } from '../../../src/contract/answers.ts';
import { download } from '../api/download.ts';
import { formatSessionMarkdown } from './format-session-markdown.ts';

interface ActionsProps {
  readonly answer: SessionAnswer;
  readonly calls: readonly SessionCallRow[];
}

export function SessionActions(props: ActionsProps) {
  return (
    <span className="exports">
      <SaveButtons {...props} />
      <IssueButton {...props} />
    </span>
  );
}

const FORMATS = [
  { name: 'NDJSON', accept: 'application/x-ndjson', ending: 'ndjson' },
  { name: 'OTLP', accept: 'application/x-otlp+json', ending: 'otlp.json' },
] as const;

/** All of the session, whatever is on the screen. */
function SaveButtons({ answer: { session } }: ActionsProps) {
  const [busy, setBusy] = useState<string>();
  const [problem, setProblem] = useState<string>();
  const { sessionId, server, startedAt, endedAt } = session;
  async function save({ name, accept, ending }: (typeof FORMATS)[number]): Promise<void> {
    setBusy(name);
    setProblem(undefined);
    try {
      await download('calls', {
        accept,
        fileName: `session-${sessionId.replace(/[^\w-]+/g, '_').slice(0, 64)}.${ending}`,
        query: {
          session: sessionId,
          server,
          from: startedAt,
          // The end is left out of a range, so it is moved behind the last call.
          to: new Date(Date.parse(endedAt) + 1).toISOString(),
        },
      });
    } catch (error) {
      setProblem(error instanceof Error ? error.message : 'The file could not be saved.');
    }
    setBusy(undefined);
  }
  return (
    <>
      {FORMATS.map((format) => (
        <button
          key={format.name}
          type="button"
          className="button bare"
          disabled={busy !== undefined}
          aria-label={`Save this session as ${format.name}`}
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

function IssueButton({ answer, calls }: ActionsProps) {
  const [said, setSaid] = useState('Copy for an issue');
  async function copy(): Promise<void> {
    try {
      await navigator.clipboard.writeText(
        formatSessionMarkdown({ answer, calls, url: window.location.href }),
      );
      setSaid('Copied');
    } catch {
      // Refused by the browser, or no secure context: the page says so, and the figures stay where they are.
      setSaid('The browser did not let it be copied');
    }
    setTimeout(() => setSaid('Copy for an issue'), 2_000);
  }
  return (
    <button
      type="button"
      className="button bare"
      title="As Markdown: names, shapes and templates, no values"
      onClick={() => void copy()}
    >
      <span aria-live="polite">{said}</span>
    </button>
  );
}
