// Adds to the alerts of a message their likely cause, and what changed shortly before them: versions, tools,
// definitions, error codes and annotations. Both are read for a message that says that something fires; without an
// answer in time the message goes out without them.

import { describeCauses, type ReadCauses, toCauseQuery } from './alert-cause.ts';
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

/** What is absent is left out of messages. */
export interface BackgroundReaders {
  readonly readChanges?: ReadChanges;
  readonly readCauses?: ReadCauses;
}

interface BackgroundOptions extends BackgroundReaders {
  readonly timeoutMs: number;
}

/** How long before an alert a change counts. */
const CHANGES_BEFORE_MS = 2 * 3_600_000;
const MAX_CHANGES = 5;
/** Each takes a read of a day of its tool. */
const MAX_CAUSE_READS = 3;

/** Never rejects. */
export async function addBackground(
  message: AlertMessage,
  options: BackgroundOptions,
): Promise<AlertMessage> {
  if (message.status === 'resolved' || message.digest) return message;
  const [changes, causes] = await Promise.all([
    readServerChanges(message, options),
    readAlertCauses(message, options),
  ]);
  const alerts = message.alerts.map((alert) =>
    withBackground(alert, { changes, cause: causes.get(alert.fingerprint) ?? '' }),
  );
  return { ...message, alerts };
}

/** Nothing unless all alerts are of one server. */
async function readServerChanges(
  { alerts }: AlertMessage,
  { readChanges, timeoutMs }: BackgroundOptions,
): Promise<readonly BackgroundChange[]> {
  const servers = new Set(alerts.map(({ labels }) => labels['server'] ?? ''));
  const [server = ''] = servers;
  if (!readChanges || servers.size !== 1 || server === '') return [];
  const toMs = Math.max(...alerts.map(({ activeMs }) => activeMs));
  return withinTime(readChanges(server, { fromMs: toMs - CHANGES_BEFORE_MS, toMs }), {
    timeoutMs,
    otherwise: [],
  });
}

/** @returns sentences by fingerprint, of the first alerts that may have a cause */
async function readAlertCauses(
  { alerts }: AlertMessage,
  { readCauses, timeoutMs }: BackgroundOptions,
): Promise<ReadonlyMap<string, string>> {
  const queries = alerts.flatMap((alert) => {
    const query = alert.state === 'firing' ? toCauseQuery(alert) : undefined;
    return query ? [{ fingerprint: alert.fingerprint, query }] : [];
  });
  if (!readCauses) return new Map();
  const causes = queries.slice(0, MAX_CAUSE_READS).map(async ({ fingerprint, query }) => {
    const found = await withinTime(readCauses(query), { timeoutMs, otherwise: [] });
    return [fingerprint, describeCauses(query.kind, found)] as const;
  });
  return new Map(await Promise.all(causes));
}

/** @returns `otherwise` if the answer fails or is late */
function withinTime<T>(
  answer: Promise<T>,
  { timeoutMs, otherwise }: { readonly timeoutMs: number; readonly otherwise: T },
): Promise<T> {
  const timeout = new Promise<T>((resolve) => {
    setTimeout(resolve, timeoutMs, otherwise).unref();
  });
  return Promise.race([answer.catch(() => otherwise), timeout]);
}

interface Background {
  readonly changes: readonly BackgroundChange[];
  readonly cause: string;
}

function withBackground(alert: Alert, { changes, cause }: Background): Alert {
  const { tools } = alert.evidence;
  const own = changes
    .filter(
      ({ atMs, tool }) =>
        atMs <= alert.activeMs && (tool === '' || tools.length === 0 || tools.includes(tool)),
    )
    .toSorted((a, b) => a.atMs - b.atMs)
    .slice(-MAX_CHANGES)
    .map(({ atMs, sentence }) => ({ atMs, sentence }));
  return own.length === 0 && cause === '' ? alert : { ...alert, background: { cause, changes: own } };
}
