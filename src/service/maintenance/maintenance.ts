// The maintenance of the service: purge and backup on request, reconciliation on a schedule. They run one at a
// time, because a day rebuilt from calls read before a purge would restore purged data.

import { setTimeout as delay } from 'node:timers/promises';
import type { Logger } from 'pino';
import type { Registry } from 'prom-client';
import type { BackupBody, BackupResponse, PurgeBody, PurgeReceipt } from '../../contract/maintenance.ts';
import type { PipelineStatus } from '../../contract/summary.ts';
import { parseTime } from '../../contract/time-range.ts';
import type { Fingerprinter } from '../../core/values/fingerprint.ts';
import { toPrincipalHashes } from '../../core/values/redact-name.ts';
import { UpstreamError } from '../../errors.ts';
import type { Clock } from '../../segment-log/clock.ts';
import { createMutex } from '../jobs/mutex.ts';
import type { PurgeTarget } from '../store/purge-target.ts';
import type { Store } from '../store/store.ts';
import { backup } from './backup.ts';
import { holdWrites } from './hold-writes.ts';
import { type PurgePorts, purge } from './purge.ts';
import { createQuarantinePurger } from './purge-quarantine.ts';
import { countDifferences, type Reconciliation, reconcile } from './reconcile.ts';
import { startReconcileJob } from './reconcile-job.ts';
import { createReconcileMetrics } from './reconcile-metrics.ts';
import { rebuildWholeDay } from './repair-day.ts';
import type { RetentionDays } from './whole-days.ts';

export interface MaintenanceOptions extends Pick<PurgePorts, 'stopDetection' | 'purgeAlerts'> {
  readonly store: Store;
  readonly dataDirectory: string;
  /** Where the embedded engine writes backups; undefined for a ClickHouse server. */
  readonly engineBackups: string | undefined;
  readonly retention: RetentionDays;
  /** Of the package, for the manifest of a backup. */
  readonly version: string;
  readonly ingest: {
    readonly node: string;
    readonly pendingCalls: number;
    readonly committedOffset: { readonly position: number; readonly storedCalls: number };
    holdWrites(): Promise<() => void>;
  };
  /** Hashes user names as the instrumentation and ingest do. */
  readonly fingerprinter: Fingerprinter;
  readonly clock: Clock;
  readonly registry: Registry;
  readonly log: Logger;
}

export interface Maintenance {
  /** Throws UserError INVALID_BODY, UpstreamError. */
  purge(body: PurgeBody): Promise<PurgeReceipt>;
  /** Throws UserError INVALID_BODY, UpstreamError. */
  backup(body: BackupBody): Promise<BackupResponse>;
  /** The last reconciliation of this process; null before the first. */
  readonly lastReconciliation: PipelineStatus['lastReconciliation'];
  /** Ends the schedule; waits at most five seconds for a running reconciliation. */
  close(): Promise<void>;
}

const FLUSH_TIMEOUT_MS = 30_000;
const FLUSH_CHECK_INTERVAL_MS = 50;

export function startMaintenance(options: MaintenanceOptions): Maintenance {
  const { store, ingest, dataDirectory, retention, clock, log } = options;
  const { node } = ingest;
  const now = () => clock.now();
  const runExclusive = createMutex();
  const hold = (signal?: AbortSignal) => holdWrites(ingest, { clock, ...(signal && { signal }) });
  const quarantine = createQuarantinePurger(dataDirectory);
  const rebuildDay = (day: string) => rebuildWholeDay({ store, node, retention, now }, day);
  const flush = () => flushPending(ingest);
  const metrics = createReconcileMetrics(options.registry);
  const reconcileJob = startReconcileJob({
    check: (signal) =>
      runExclusive(() =>
        reconcile({
          store,
          node,
          committedOffset: () => ingest.committedOffset.position,
          holdWrites: () => hold(signal),
          retention,
          now,
          signal,
          log,
        }),
      ),
    clock,
    onDone: (done) => metrics.countDone(done),
    onFailed: () => metrics.countFailed(),
    log,
  });
  return {
    purge: (body) =>
      runExclusive(() =>
        purge(
          { ...options, holdWrites: () => hold(), flushPending: flush, quarantine, rebuildDay },
          { target: toPurgeTarget(body, options.fingerprinter), confirmed: body.confirmed },
        ),
      ),
    backup: ({ directory }) =>
      runExclusive(() => backup({ ...options, ingestNode: node, holdWrites: () => hold(), now }, directory)),
    get lastReconciliation() {
      return reconcileJob.last ? toLastReconciliation(reconcileJob.last) : null;
    },
    close: () => reconcileJob.close(),
  };
}

/**
 * Waits until all calls that are pending now are stored. Batches are written in order, so that is when as many
 * more calls are stored.
 *
 * @returns the number of these calls
 */
async function flushPending(ingest: MaintenanceOptions['ingest']): Promise<number> {
  const { pendingCalls, committedOffset } = ingest;
  const targetCalls = committedOffset.storedCalls + pendingCalls;
  const deadline = Date.now() + FLUSH_TIMEOUT_MS;
  for (; Date.now() < deadline; await delay(FLUSH_CHECK_INTERVAL_MS))
    if (ingest.pendingCalls === 0 || committedOffset.storedCalls >= targetCalls) return pendingCalls;
  throw new UpstreamError('STORE_UNAVAILABLE', 'The pending calls of the journal could not be stored.', {
    retryable: true,
  });
}

function toPurgeTarget(
  { session, server, user, before }: PurgeBody,
  fingerprinter: Fingerprinter,
): PurgeTarget {
  if (session !== undefined) return { kind: 'session', id: session, server };
  if (user !== undefined) return { kind: 'user', principals: toPrincipalHashes(user, fingerprinter) };
  // The schema requires one of the three, and checks that this one is a time.
  return { kind: 'before', beforeUs: (parseTime(before ?? '', Date.now()) ?? 0) * 1000 };
}

function toLastReconciliation(last: Reconciliation): Maintenance['lastReconciliation'] {
  return {
    at: new Date(last.atMs).toISOString(),
    result: last.result,
    hours: last.hours,
    differences: Object.values(countDifferences(last)).reduce((sum, n) => sum + n, 0),
    repairedDays: last.days.filter(({ status }) => status === 'repaired').map(({ day }) => day),
  };
}
