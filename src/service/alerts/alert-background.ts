// Adds to the alerts of a message what changed shortly before them: versions, tools, definitions, error codes and
// annotations. It is read for a message that says that something fires; without an answer in time the message goes
// out without it.

import type { Alert, AlertMessage } from './alert-records.ts';

interface BackgroundChange {
  readonly atMs: number;
  readonly sentence: string;
  /** Empty if the change concerns the server. */
  readonly tool: string;
}

export type ReadChanges = (
  server: string,
  range: { readonly fromMs: number; readonly toMs: number },
) => Promise<readonly BackgroundChange[]>;

interface BackgroundOptions {
  readonly readChanges: ReadChanges;
  readonly timeoutMs: number;
}

/** How long before an alert a change counts. */
const CHANGES_BEFORE_MS = 2 * 3_600_000;
const MAX_CHANGES = 5;

/** Never rejects. */
export async function addBackground(
  message: AlertMessage,
  { readChanges, timeoutMs }: BackgroundOptions,
): Promise<AlertMessage> {
  const servers = new Set(message.alerts.map(({ labels }) => labels['server'] ?? ''));
  const [server = ''] = servers;
  if (message.status === 'resolved' || message.digest || servers.size !== 1 || server === '') return message;
  const toMs = Math.max(...message.alerts.map(({ activeMs }) => activeMs));
  const range = { fromMs: toMs - CHANGES_BEFORE_MS, toMs };
  const timeout = new Promise<readonly BackgroundChange[]>((resolve) => {
    setTimeout(resolve, timeoutMs, []).unref();
  });
  const changes = await Promise.race([readChanges(server, range), timeout]).catch(() => []);
  return { ...message, alerts: message.alerts.map((alert) => withChanges(alert, changes)) };
}

function withChanges(alert: Alert, changes: readonly BackgroundChange[]): Alert {
  const { tools } = alert.evidence;
  const own = changes
    .filter(
      ({ atMs, tool }) =>
        atMs <= alert.activeMs && (tool === '' || tools.length === 0 || tools.includes(tool)),
    )
    .toSorted((a, b) => a.atMs - b.atMs)
    .slice(-MAX_CHANGES)
    .map(({ atMs, sentence }) => ({ atMs, sentence }));
  return own.length === 0
    ? alert
    : { ...alert, background: { cause: alert.background?.cause ?? '', changes: own } };
}
