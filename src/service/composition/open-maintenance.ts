// Connects maintenance to the other modules: what a purge and a backup need from ingest, detection and
// alerts.

import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import type { Logger } from 'pino';
import type { PurgeBody } from '../../contract/maintenance.ts';
import { parseTime } from '../../contract/time-range.ts';
import { createFingerprinter } from '../../core/values/fingerprint.ts';
import { toPrincipalHashes } from '../../core/values/redact-name.ts';
import { UpstreamError } from '../../errors.ts';
import { SYSTEM_CLOCK } from '../../segment-log/clock.ts';
import type { MaintenanceService } from '../api/maintenance.ts';
import { readFingerprintKey } from '../config/fingerprint-key.ts';
import type { Config } from '../config/settings.ts';
import type { RestartableWorker } from '../detection/restartable-worker.ts';
import { toEngineFiles } from '../engine/engine-files.ts';
import type { CommittedOffset } from '../ingest/committed-offset.ts';
import type { Ingest } from '../ingest/ingest.ts';
import type { Mutex } from '../jobs/mutex.ts';
import { type BackupPorts, backup } from '../maintenance/backup.ts';
import { holdWithDeadline } from '../maintenance/hold-with-deadline.ts';
import { type PurgePorts, purge } from '../maintenance/purge.ts';
import { createQuarantinePurger } from '../maintenance/purge-quarantine.ts';
import { rebuildWholeDay } from '../maintenance/rebuild-whole-day.ts';
import type { PurgeTarget } from '../store/purge-target.ts';
import type { AlertsModule } from './open-alerts.ts';
import type { StoreHandle } from './open-store.ts';
import { readPackageVersion } from './package-version.ts';

export interface MaintenanceOptions {
  readonly storeHandle: StoreHandle;
  readonly ingest: Ingest;
  readonly detectionWorker: RestartableWorker;
  readonly alerts: AlertsModule;
  readonly committedOffset: CommittedOffset;
  readonly runExclusive: Mutex;
  readonly log: Logger;
}

export function openMaintenance(config: Config, options: MaintenanceOptions): MaintenanceService {
  const ports = toPurgePorts(config, options);
  const { runExclusive } = options;
  return {
    purge: (body) =>
      runExclusive(() => purge(ports, { target: toPurgeTarget(body, config), confirmed: body.confirmed })),
    backup: ({ directory }) => runExclusive(() => backup(toBackupPorts(config, options), directory)),
  };
}

function toPurgePorts(
  { dataDirectory, retentionDays, rollupRetentionDays }: Config,
  { storeHandle, ingest, detectionWorker, alerts, committedOffset, log }: MaintenanceOptions,
): PurgePorts {
  const retention = { rawDays: retentionDays, rollupDays: rollupRetentionDays };
  return {
    store: storeHandle.store,
    flushPending: () => flushPending(ingest, committedOffset),
    holdWrites: () => holdWrites(ingest),
    stopDetection: () => detectionWorker.stop(),
    purgeAlerts: (selection, mode) => alerts.purge(selection, mode),
    quarantine: createQuarantinePurger(dataDirectory),
    rebuildDay: (day) =>
      rebuildWholeDay({ store: storeHandle.store, node: ingest.node, retention, now: Date.now }, day),
    log,
  };
}

function toBackupPorts(config: Config, { storeHandle, ingest, log }: MaintenanceOptions): BackupPorts {
  return {
    store: storeHandle.store,
    dataDirectory: config.dataDirectory,
    engineBackups: engineBackupDirectory(config),
    ingestNode: ingest.node,
    holdWrites: () => holdWrites(ingest),
    version: readPackageVersion(),
    now: Date.now,
    log,
  };
}

/** Where the embedded engine puts its backups; undefined when a server was named. */
export function engineBackupDirectory(config: Config): string | undefined {
  if (config.clickhouseUrl !== undefined) return undefined;
  return join(toEngineFiles(config.dataDirectory).database, 'backups');
}

/** A batch that is tried again and again is stored or put aside within this, or the store is away. */
const HOLD_TIMEOUT_MS = 60_000;

/** Nobody ends the wait from outside: an ingest that closes does. */
function holdWrites(ingest: Ingest): Promise<() => void> {
  const { signal } = new AbortController();
  return holdWithDeadline(() => ingest.holdWrites(), {
    withinMs: HOLD_TIMEOUT_MS,
    signal,
    clock: SYSTEM_CLOCK,
  });
}

const FLUSH_TIMEOUT_MS = 30_000;
const POLL_INTERVAL_MS = 50;

/** Batches go in order, so once as many calls have gone as waited, those that waited have gone. */
async function flushPending(ingest: Ingest, committedOffset: CommittedOffset): Promise<number> {
  const waiting = ingest.pendingCalls;
  const targetCalls = committedOffset.storedCalls + waiting;
  for (const deadline = Date.now() + FLUSH_TIMEOUT_MS; Date.now() < deadline; await delay(POLL_INTERVAL_MS)) {
    if (ingest.pendingCalls === 0 || committedOffset.storedCalls >= targetCalls) return waiting;
  }
  throw new UpstreamError('STORE_UNAVAILABLE', 'The store does not take what waits in the journal.', {
    retryable: true,
  });
}

function toPurgeTarget({ session, server, user, before }: PurgeBody, config: Config): PurgeTarget {
  if (session !== undefined) return { kind: 'session', id: session, server };
  if (user !== undefined) return { kind: 'user', principals: toPrincipals(user, config) };
  // The schema has seen to it that there is one, and has read it as a time.
  return { kind: 'before', beforeUs: (parseTime(before ?? '', Date.now()) ?? 0) * 1000 };
}

/** As the wrapper and the ingest hash it; another key makes another hash, and then the hash itself has to be given. */
function toPrincipals(user: string, config: Config): readonly string[] {
  return toPrincipalHashes(user, createFingerprinter(readFingerprintKey(config)));
}
