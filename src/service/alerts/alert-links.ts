// Links from an alert to the pages of the dashboard that prove it.

import type { Alert } from './alert-records.ts';

export interface AlertLink {
  readonly label: string;
  readonly url: string;
}

/** Calls before the alert that its link also shows. */
const CALLS_BEFORE_MS = 15 * 60_000;

/** Address of the page with the calls that prove the alert. */
export function toAlertUrl({ labels, evidence }: Alert, externalUrl: string): string {
  const { session_id: id = '', server = '', storm_id: storm = '', tool = '' } = labels;
  if (labels['digest'] !== undefined) {
    const { from = '', to = '' } = evidence.details;
    return `${externalUrl}/?${new URLSearchParams({ from, to, ...(server !== '' && { server }) })}`;
  }
  if (storm !== '') return `${externalUrl}/loops?${new URLSearchParams({ storm })}`;
  if (id !== '')
    return `${externalUrl}/sessions/${encodeURIComponent(id)}?${new URLSearchParams({ of: server })}`;
  if (tool !== '' && server !== '')
    return `${externalUrl}/tools/${encodeURIComponent(tool)}?${new URLSearchParams({ of: server })}`;
  return server === '' ? `${externalUrl}/` : `${externalUrl}/?${new URLSearchParams({ server })}`;
}

/** The page of the alert first, then its calls, then the alerts page, where it can be silenced. */
export function listAlertLinks(alert: Alert, externalUrl: string): readonly AlertLink[] {
  const { session_id: session, storm_id: storm, tool } = alert.labels;
  const label = storm
    ? 'See its sessions'
    : session
      ? `See the session's calls`
      : tool
        ? 'See the tool'
        : 'See the server';
  const page = { label, url: toAlertUrl(alert, externalUrl) };
  const calls = toCallsUrl(alert, externalUrl);
  return [
    page,
    ...(calls === undefined ? [] : [{ label: 'See the calls', url: calls }]),
    { label: 'Silence or acknowledge', url: `${externalUrl}/alerts` },
  ];
}

/** The list of the alert's calls; undefined where its page lists them, or where no server is known. */
function toCallsUrl({ labels, activeMs, resolvedMs }: Alert, externalUrl: string): string | undefined {
  const { server, tool, environment, client, code, session_id: session } = labels;
  if (!server || session) return undefined;
  // A storm's tools are one label; the filter takes a single tool.
  const query = {
    from: new Date(activeMs - CALLS_BEFORE_MS).toISOString(),
    to: resolvedMs === null ? '' : new Date(resolvedMs).toISOString(),
    ...{ server, environment, client, code },
    tool: tool?.includes(', ') ? '' : tool,
  };
  const given = Object.entries(query).flatMap(([name, value]): [string, string][] =>
    value ? [[name, value]] : [],
  );
  return `${externalUrl}/calls?${new URLSearchParams(given)}`;
}
