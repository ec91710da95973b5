// Opens the modules behind the API in order: store, then alerts and ingest, then detection and queries.
// Closes them in reverse order, so that accepted calls are written, detected and notified before the store
// closes.

import type { RequestHandler } from 'express';
import type { Logger } from 'pino';
import type { Registry } from 'prom-client';
import type { Queries } from '../../contract/queries.ts';
import type { ThresholdTable } from '../../core/loops/thresholds.ts';
import type { LoopUpdate } from '../../core/model/loop-notice.ts';
import { DEFAULT_STORM_THRESHOLDS, type StormThresholds } from '../../core/storms/thresholds.ts';
import { createFingerprinter } from '../../core/values/fingerprint.ts';
import { type Clock, SYSTEM_CLOCK } from '../../segment-log/clock.ts';
import type { MaintenanceService } from '../api/maintenance.ts';
import { readFingerprintKey } from '../config/fingerprint-key.ts';
import { readLoopThresholds, readStormThresholds } from '../config/read-loop-thresholds.ts';
import type { Config } from '../config/settings.ts';
import { lockDataDirectory } from '../data-directory/lock-data-directory.ts';
import type { DetectionStore } from '../detection/detection-store.ts';
import { startDetectionWorker } from '../detection/detection-worker.ts';
import { openPositionFile } from '../detection/position-file.ts';
import { RestartableWorker } from '../detection/restartable-worker.ts';
import { CommittedOffset, withStoredListener } from '../ingest/committed-offset.ts';
import { type Ingest, openIngest } from '../ingest/ingest.ts';
import { waitUntilDeadline } from '../jobs/deadline.ts';
import { createMutex } from '../jobs/mutex.ts';
import { DiskSpaceMonitor } from '../maintenance/disk-space-monitor.ts';
import type { ReconcileJob } from '../maintenance/reconcile-job.ts';
import type { AdviceJob } from '../queries/advice/advice-job.ts';
import { createQueries } from '../queries/queries.ts';
import type { Freshness, StoreReader } from '../queries/query/query-context.ts';
import { findStoredCalls } from '../store/find-stored-calls.ts';
import { createBatchSink } from '../store/insert-batch.ts';
import { EMBEDDED_READ_CONCURRENCY, limitReads, SERVER_READ_CONCURRENCY } from '../store/limit-reads.ts';
import { readOpenLoops, readSessionLoops, writeLoops } from '../store/loop-rows.ts';
import { readMaxIngestSeq, readMaxKnownIngestSeq, readRecentCallKeys } from '../store/read-recent.ts';
import { readRecentReports } from '../store/read-recent-reports.ts';
import {
  countSessionCalls,
  readNewCalls,
  readRecentCalls,
  readSessionCalls,
} from '../store/session-calls.ts';
import { shareReads, withWriteListener } from '../store/share-reads.ts';
import type { Store } from '../store/store.ts';
import { readOpenStorms, readStormSessions, writeStorms } from '../store/storm-rows.ts';
import { readToolAnnotations } from '../store/tool-annotations.ts';
import { openAdviceJob } from './open-advice-job.ts';
import { type AlertsModule, listFiringAlerts, openAlertsModule } from './open-alerts.ts';
import { openMaintenance } from './open-maintenance.ts';
import { openReconcileJob, readPipeline } from './open-reconcile-job.ts';
import { openStore, type StoreHandle } from './open-store.ts';
import { readPackageVersion } from './package-version.ts';
import { createServiceMetrics, type ServiceMetrics } from './service-metrics.ts';

export interface ServiceModules {
  readonly queries: Queries;
  readonly alerts: AlertsModule;
  readonly maintenance: MaintenanceService;
  /** Takes `POST /v1/traces` and passes on everything else. */
  readonly receiver: RequestHandler;
  /** For people: where the calls are kept. */
  readonly description: string;
  isStoreReachable(): Promise<boolean>;
  /** Whether spans are refused because the disk is nearly full. */
  isDiskLow(): boolean;
  close(): Promise<void>;
}

export interface ServiceModulesOptions {
  readonly log: Logger;
  readonly registry: Registry;
  /**
   * Whether detection runs on new calls. Disabled for offline commands, which would use their own thresholds.
   */
  readonly isDetectionEnabled: boolean;
  /** Called after each batch that reached the store, with its number of calls. */
  readonly onStored: (calls: number) => void;
  /** Called after loops that began, changed or ended are in the store; the same news may come twice. */
  readonly onLoops: (notices: readonly LoopUpdate[]) => void;
  /** Called when an alert, a delivery or a silence has changed. */
  readonly onAlerts: () => void;
  /** Where people on this machine reach the service. */
  readonly url: string;
  /** Of the hourly look for advice; the machine's own where it is left out. */
  readonly adviceClock?: Clock;
}

/** The journal's own drain takes five seconds of these. */
const INGEST_CLOSE_MS = 7_000;
/** For what follows the calls, and for the alerts. */
const MODULE_CLOSE_MS = 4_000;
/** A page that is open asks again every other second; what another writer stored is never seen later than this. */
const MAX_READ_AGE_MS = 3_000;

/** @throws as `startService` does */
export async function openServiceModules(
  config: Config,
  options: ServiceModulesOptions,
): Promise<ServiceModules> {
  const { loops: thresholds, storms: stormThresholds } = readThresholds(config);
  const unlock = await lockDataDirectory(config.dataDirectory);
  let storeHandle: StoreHandle | undefined;
  let alerts: AlertsModule | undefined;
  const { log, registry } = options;
  const metrics = createServiceMetrics(registry, readPackageVersion());
  const disk = await DiskSpaceMonitor.start({
    directory: config.dataDirectory,
    reserveBytes: config.diskReserveBytes,
    clock: SYSTEM_CLOCK,
    log,
  });
  const closeStore = async (): Promise<void> => {
    disk.close();
    if (alerts) await waitUntilDeadline(alerts.close(), { what: 'alerts', withinMs: MODULE_CLOSE_MS, log });
    await storeHandle?.close();
    unlock();
  };
  try {
    const engineHandle = await openStore(config, {
      log,
      onEngineRestart: () => metrics.countEngineRestart(),
    });
    const reader = limitReads(
      engineHandle.store,
      config.clickhouseUrl === undefined ? EMBEDDED_READ_CONCURRENCY : SERVER_READ_CONCURRENCY,
    );
    const sharedReader = shareReads(reader, { clock: () => performance.now(), maxAgeMs: MAX_READ_AGE_MS });
    storeHandle = { ...engineHandle, store: withWriteListener(engineHandle.store, sharedReader.invalidate) };
    const { store, isReachable } = storeHandle;
    metrics.watchDisk(() => disk.freeBytes);
    metrics.watchStore(isReachable);
    alerts = await openAlertsModule(config, { ...options, store, publish: options.onAlerts });
    const { onLoops, onStorms } = alerts;
    const committedOffset = new CommittedOffset();
    const ingest = await openIngestModule(config, {
      ...options,
      storeHandle,
      committedOffset,
      disk,
      metrics,
    });
    const detectionWorker = await openDetection(config, {
      ...options,
      ...{
        storeHandle,
        ingest,
        committedOffset,
        thresholds,
        stormThresholds,
        notifyAlerts: onLoops,
        notifyStormAlerts: onStorms,
      },
    });
    const runExclusive = createMutex();
    const maintenance = openMaintenance(config, {
      storeHandle,
      ingest,
      detectionWorker,
      alerts,
      committedOffset,
      runExclusive,
      log,
    });
    const reconcileJob = openReconcileJob(config, {
      ...options,
      store,
      ingest,
      committedOffset,
      runExclusive,
    });
    const adviceJob = openAdviceJob({
      ...{ reader, writer: store, isStoreReachable: isReachable, rawDays: config.retentionDays },
      ...{ clock: options.adviceClock ?? SYSTEM_CLOCK, registry, log },
    });
    return toServiceModules(config, {
      ...{ sharedReader, adviceJob, storeHandle, ingest, detectionWorker, alerts, maintenance, reconcileJob },
      ...{ disk, thresholds, metrics, log, closeStore },
    });
  } catch (error) {
    await closeStore();
    throw error;
  }
}

function openIngestModule(
  config: Config,
  {
    storeHandle: { store },
    registry,
    log,
    onStored,
    committedOffset,
    disk,
    metrics,
  }: ServiceModulesOptions &
    StoreContext & { readonly disk: DiskSpaceMonitor; readonly metrics: ServiceMetrics },
): Promise<Ingest> {
  const threadKey = readFingerprintKey(config);
  return openIngest({
    dataDirectory: config.dataDirectory,
    sink: withStoredListener(metrics.timeInserts(createBatchSink(store)), (calls) => {
      committedOffset.recordBatch(calls);
      onStored(calls.count);
    }),
    findStoredCalls: (keys) => findStoredCalls(store, keys),
    readRecentCallKeys: (query) => readRecentCallKeys(store, query),
    readRecentReports: (query) => readRecentReports(store, query),
    readMaxKnownIngestSeq: (node) => readMaxKnownIngestSeq(store, node),
    redaction: { capture: config.capture, fingerprinter: createFingerprinter(threadKey) },
    workerFingerprintKey: threadKey,
    retentionDays: config.retentionDays,
    journalCapBytes: config.journalMaxBytes,
    nameLimits: config.nameLimits,
    checkDiskSpace: () => disk.checkDiskSpace(),
    registry,
    log,
  });
}

interface StoreContext {
  readonly storeHandle: StoreHandle;
  readonly committedOffset: CommittedOffset;
}

interface DetectionContext extends StoreContext {
  readonly ingest: Ingest;
  readonly thresholds: ThresholdTable | undefined;
  /** Resolves once the alerts have looked at it. */
  readonly notifyAlerts: AlertsModule['onLoops'];
  readonly notifyStormAlerts: AlertsModule['onStorms'];
  readonly stormThresholds: StormThresholds;
}

async function openDetection(
  { dataDirectory }: Config,
  {
    isDetectionEnabled,
    storeHandle: { store },
    ingest,
    committedOffset,
    log,
    ...callbacks
  }: ServiceModulesOptions & DetectionContext,
): Promise<RestartableWorker> {
  const { thresholds, stormThresholds, onLoops, notifyAlerts, notifyStormAlerts: onStorms } = callbacks;
  const { node } = ingest;
  // Nothing waits to be shipped, so nothing of what is in the store is half of a batch.
  if (ingest.pendingCalls === 0) committedOffset.advanceTo(await readMaxIngestSeq(store, node));
  const start = () =>
    startDetectionWorker({
      store: toDetectionStore(store),
      position: openPositionFile(dataDirectory, node),
      node,
      ...(thresholds && { thresholds }),
      stormThresholds,
      onStorms,
      committedOffset: () => committedOffset.position,
      clock: SYSTEM_CLOCK,
      async onLoopChanges(notices) {
        onLoops(notices);
        await notifyAlerts(notices);
      },
      log,
    });
  const worker = new RestartableWorker(() => (isDetectionEnabled ? start() : undefined));
  committedOffset.onAdvance = () => worker.wake();
  return worker;
}

/** Before anything is opened: a file that is wrong stops the start. */
function readThresholds({ loopThresholdsFile: file }: Config) {
  if (file === undefined) return { loops: undefined, storms: DEFAULT_STORM_THRESHOLDS };
  return { loops: readLoopThresholds(file), storms: readStormThresholds(file) };
}

function toDetectionStore(store: Store): DetectionStore {
  return {
    readNewCalls: (part) => readNewCalls(store, part),
    readSessionCalls: (sessions, limit) => readSessionCalls(store, sessions, limit),
    countSessionCalls: (sessions) => countSessionCalls(store, sessions),
    readToolAnnotations: (server) => readToolAnnotations(store, server),
    readSessionLoops: (sessions) => readSessionLoops(store, sessions),
    readOpenLoops: (sinceUs) => readOpenLoops(store, sinceUs),
    writeLoops: (revisions) => writeLoops(store, revisions),
    readRecentCalls: (part) => readRecentCalls(store, part),
    readOpenStorms: (sinceUs) => readOpenStorms(store, sinceUs),
    readStormSessions: (record, counted) => readStormSessions(store, record, counted),
    writeStorms: (revisions) => writeStorms(store, revisions),
  };
}

interface OpenedModules {
  /** For questions: so many at once, and each once. */
  readonly sharedReader: StoreReader;
  readonly adviceJob: AdviceJob;
  readonly thresholds: ThresholdTable | undefined;
  readonly storeHandle: StoreHandle;
  readonly ingest: Ingest;
  readonly detectionWorker: RestartableWorker;
  readonly alerts: AlertsModule;
  readonly maintenance: MaintenanceService;
  readonly reconcileJob: ReconcileJob;
  readonly disk: DiskSpaceMonitor;
  readonly metrics: ServiceMetrics;
  readonly log: Logger;
  readonly closeStore: () => Promise<void>;
}

function toServiceModules(config: Config, modules: OpenedModules): ServiceModules {
  const { storeHandle, ingest, alerts, disk } = modules;
  return {
    ...openQueries(config, modules),
    alerts,
    receiver: ingest.receiver,
    description: storeHandle.description,
    isStoreReachable: storeHandle.isReachable,
    isDiskLow: () => disk.checkDiskSpace().status === 'no',
    close: () => closeInOrder(modules),
  };
}

function openQueries(
  { retentionDays, tokenPrice, tokenCurrency }: Config,
  {
    sharedReader,
    storeHandle: { store },
    maintenance,
    ingest,
    alerts,
    reconcileJob,
    disk,
    metrics,
    thresholds,
  }: OpenedModules,
): Pick<ServiceModules, 'queries' | 'maintenance'> {
  const questions = createQueries({
    store: sharedReader,
    writer: store,
    clock: Date.now,
    freshness: async () => ({
      ...toFreshness(ingest, disk),
      pipeline: await readPipeline(ingest, reconcileJob),
    }),
    rawDays: retentionDays,
    thresholds,
    firingAlerts: () => listFiringAlerts(alerts.list()),
    ...(tokenPrice !== undefined && { tokenPrice: { perMillion: tokenPrice, currency: tokenCurrency } }),
  });
  return { queries: metrics.timeQueries(questions), maintenance };
}

async function closeInOrder({
  adviceJob,
  reconcileJob,
  ingest,
  detectionWorker,
  closeStore,
  log,
}: OpenedModules): Promise<void> {
  adviceJob.close();
  // First: closing the ingest ends every hold, and a day must not be replaced without one.
  await reconcileJob.close();
  await waitUntilDeadline(ingest.close(), { what: 'ingest', withinMs: INGEST_CLOSE_MS, log });
  await waitUntilDeadline(detectionWorker.close(), { what: 'follower', withinMs: MODULE_CLOSE_MS, log });
  await closeStore();
}

function toFreshness(ingest: Ingest, disk: DiskSpaceMonitor): Freshness {
  const { pendingCalls, droppedByProducers, rejectedSpans, namesBeyondLimits } = ingest;
  const diskSpace = disk.checkDiskSpace();
  return {
    pendingCalls,
    droppedByProducers,
    rejectedSpans,
    ...(namesBeyondLimits.length > 0 && { namesBeyondLimits: [...namesBeyondLimits] }),
    ...(diskSpace.status === 'no' && { notTaking: diskSpace.reason }),
  };
}
