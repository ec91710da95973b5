// Exports a session: its calls as a file, or as text for an issue.
import { useState } from 'react';
import { Link } from 'wouter';
import type { SessionCallRow, SessionResponse } from '../../../../src/contract/sessions.ts';
import { NDJSON, OTLP, SaveButtons } from '../../components/save-buttons.tsx';
import { sessionsPath } from '../../paths.ts';
import { useView } from '../../view/use-view.ts';

interface SessionActionsProps {
  readonly response: SessionResponse;
  readonly calls: readonly SessionCallRow[];
}

export function SessionActions(props: SessionActionsProps) {
  return (
    <span className="exports">
      <SaveSession {...props} />
      <CopyMarkdownButton {...props} />
      <CompareLink {...props} />
    </span>
  );
}

function CompareLink({ response: { session } }: SessionActionsProps) {
  const view = useView();
  const own = { id: session.sessionId, of: session.server };
  return (
    <Link className="button bare" href={sessionsPath(view, {}, own)}>
      Compare with…
    </Link>
  );
}

function SaveSession({ response: { session } }: SessionActionsProps) {
  const { sessionId, server, startedAt, endedAt } = session;
  return (
    <SaveButtons
      formats={[NDJSON, OTLP]}
      what="this session"
      fileName={`session-${sessionId.replace(/[^\w-]+/g, '_').slice(0, 64)}`}
      toQueryParams={() => ({
        session: sessionId,
        server,
        from: startedAt,
        // The end of a range is exclusive, so it is set after the last call.
        to: new Date(Date.parse(endedAt) + 1).toISOString(),
      })}
    />
  );
}

function CopyMarkdownButton({ response, calls }: SessionActionsProps) {
  const [label, setLabel] = useState('Copy for an issue');
  async function copy(): Promise<void> {
    try {
      // Few sessions are copied, so its script is loaded then.
      const { formatSessionMarkdown } = await import('./format-session-markdown.ts');
      await navigator.clipboard.writeText(
        formatSessionMarkdown({ response, calls, url: window.location.href }),
      );
      setLabel('Copied');
    } catch {
      // The browser denied access, the context is not secure, or the service is gone.
      setLabel('The browser blocked copying');
    }
    setTimeout(() => setLabel('Copy for an issue'), 2_000);
  }
  return (
    <button
      type="button"
      className="button bare"
      title="As Markdown: names, shapes and templates, no values"
      onClick={() => void copy()}
    >
      <span aria-live="polite">{label}</span>
    </button>
  );
}
