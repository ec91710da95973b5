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
      <SaveButton {...props} />
      <IssueButton {...props} />
    </span>
  );
}

function SaveButton({ answer: { session } }: ActionsProps) {
  const [state, setState] = useState<'idle' | 'busy' | Error>('idle');
  const { sessionId, server, startedAt, endedAt } = session;
  async function save(): Promise<void> {
    setState('busy');
    try {
      await download('calls', {
        accept: 'application/x-ndjson',
        fileName: `session-${sessionId.replace(/[^\w-]+/g, '_').slice(0, 64)}.ndjson`,
        query: {
          session: sessionId,
          server,
          from: startedAt,
          to: new Date(Date.parse(endedAt) + 1).toISOString(),
        },
      });
      setState('idle');
    } catch (error) {
      setState(error instanceof Error ? error : new Error('The file could not be saved.'));
    }
  }
  return (
    <>
      <button
        type="button"
        className="button bare"
        disabled={state === 'busy'}
        aria-label="Save this session as NDJSON"
        onClick={() => void save()}
      >
        {state === 'busy' ? 'Saving…' : 'NDJSON'}
      </button>
      {state instanceof Error ? (
        <span className="problem" role="alert">
          {state.message}
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
