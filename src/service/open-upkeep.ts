// Ties upkeep to the other rooms: what a purge and a backup may ask of the ingest, the follower and the alerts.

import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import type { Logger } from 'pino';
import { parseTime } from '../contract/time-range.ts';
import type { PurgeBody } from '../contract/upkeep.ts';
import { createFingerprinter } from '../core/values/fingerprint.ts';
import { principalsOf } from '../core/values/reduce-name.ts';
import { UpstreamError } from '../errors.ts';
import { SYSTEM_CLOCK } from '../segments/clock.ts';
import type { UpkeepPort } from './api/upkeep.ts';
import { readFingerprintKey } from './config/fingerprint-key.ts';
import type { Config } from './config/settings.ts';
import { engineFilesOf } from './engine/engine-files.ts';
import type { FollowerSlot } from './follower-slot.ts';
import type { Ingest } from './ingest/ingest.ts';
import type { AlertsRoom } from './open-alerts.ts';
import type { OpenStore } from './open-store.ts';
import { readPackageVersion } from './package-version.ts';
import type { Shipped } from './shipped.ts';
import type { PurgeTarget } from './store/purge-target.ts';
import type { Turns } from './turns.ts';
import { type BackupPorts, backup } from './upkeep/backup.ts';
import { holdWithin } from './upkeep/hold-within.ts';
import { type PurgePorts, purge } from './upkeep/purge.ts';
import { openQuarantine } from './upkeep/purge-quarantine.ts';
import { rebuildWholeDay } from './upkeep/rebuild-whole-day.ts';

export interface UpkeepOptions {
  readonly opened: OpenStore;
  readonly ingest: Ingest;
  readonly follower: FollowerSlot;
  readonly alerts: AlertsRoom;
  readonly shipped: Shipped;
  readonly inTurn: Turns;
  readonly log: Logger;
}

export function openUpkeepRoom(config: Config, options: UpkeepOptions): UpkeepPort {
  const ports = toPurgePorts(config, options);
  const { inTurn } = options;
  return {
    purge: (body) =>
      inTurn(() => purge(ports, { target: toTarget(body, config), confirmed: body.confirmed })),
    backup: ({ directory }) => inTurn(() => backup(toBackupPorts(config, options), directory)),
  };
}

function toPurgePorts(
  { dataDirectory, retentionDays, rollupRetentionDays }: Config,
  { opened, ingest, follower, alerts, shipped, log }: UpkeepOptions,
): PurgePorts {
  const retention = { rawDays: retentionDays, rollupDays: rollupRetentionDays };
  return {
    store: opened.store,
    shipPending: () => shipPending(ingest, shipped),
    holdShipping: () => holdShipping(ingest),
    stopFollower: () => follower.stop(),
    forgetAlerts: (forgotten, mode) => alerts.forget(forgotten, mode),
    quarantine: openQuarantine(dataDirectory),
    rebuildDay: (day) =>
      rebuildWholeDay({ store: opened.store, node: ingest.node, retention, now: Date.now }, day),
    log,
  };
}

function toBackupPorts(config: Config, { opened, ingest, log }: UpkeepOptions): BackupPorts {
  return {
    store: opened.store,
    dataDirectory: config.dataDirectory,
    engineBackups: engineBackupsOf(config),
    ingestNode: ingest.node,
    holdShipping: () => holdShipping(ingest),
    version: readPackageVersion(),
    now: Date.now,
    log,
  };
}

/** Where the embedded engine puts its backups; undefined when a server was named. */
export function engineBackupsOf(config: Config): string | undefined {
  if (config.clickhouseUrl !== undefined) return undefined;
  return join(engineFilesOf(config.dataDirectory).database, 'backups');
}

/** A batch that is tried again and again is stored or put aside within this, or the store is away. */
const HOLD_MS = 60_000;

/** Nobody ends the wait from outside: an ingest that closes does. */
function holdShipping(ingest: Ingest): Promise<() => void> {
  const { signal: ending } = new AbortController();
  return holdWithin(() => ingest.holdShipping(), { withinMs: HOLD_MS, ending, clock: SYSTEM_CLOCK });
}

const SHIP_MS = 30_000;
const POLL_MS = 50;

/** Batches go in order, so once as many calls have gone as waited, those that waited have gone. */
async function shipPending(ingest: Ingest, shipped: Shipped): Promise<number> {
  const waiting = ingest.pendingCalls;
  const goal = shipped.storedCalls + waiting;
  for (const deadline = Date.now() + SHIP_MS; Date.now() < deadline; await delay(POLL_MS)) {
    if (ingest.pendingCalls === 0 || shipped.storedCalls >= goal) return waiting;
  }
  throw new UpstreamError('STORE_UNAVAILABLE', 'The store does not take what waits in the journal.', {
    retryable: true,
  });
}

function toTarget({ session, server, user, before }: PurgeBody, config: Config): PurgeTarget {
  if (session !== undefined) return { kind: 'session', id: session, server };
  if (user !== undefined) return { kind: 'user', principals: toPrincipals(user, config) };
  // The schema has seen to it that there is one, and has read it as a time.
  return { kind: 'before', beforeUs: (parseTime(before ?? '', Date.now()) ?? 0) * 1000 };
}

/** As the wrapper and the ingest hash it; another key makes another hash, and then the hash itself has to be given. */
function toPrincipals(user: string, config: Config): readonly string[] {
  return principalsOf(user, createFingerprinter(readFingerprintKey(config)));
}
