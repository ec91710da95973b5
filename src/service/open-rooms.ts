// Opens what lies behind the API, in order: store, then alerts and ingest over it, then the follower and the questions.
// Closes in the other order: what was taken is shipped, followed and told before the store goes.

import type { RequestHandler } from 'express';
import type { Logger } from 'pino';
import type { Registry } from 'prom-client';
import type { ThresholdTable } from '../core/loops/thresholds.ts';
import type { LoopNotice } from '../core/model/loop-notice.ts';
import { DEFAULT_STORM_THRESHOLDS, type StormThresholds } from '../core/storms/thresholds.ts';
import { createFingerprinter } from '../core/values/fingerprint.ts';
import { type Clock, SYSTEM_CLOCK } from '../segments/clock.ts';
import type { AdviceRounds } from './advice-rounds.ts';
import type { Questions } from './api/questions-port.ts';
import type { UpkeepPort } from './api/upkeep.ts';
import { readFingerprintKey } from './config/fingerprint-key.ts';
import { readLoopThresholds, readStormThresholds } from './config/read-loop-thresholds.ts';
import type { Config } from './config/settings.ts';
import { endWithin } from './end-within.ts';
import { startFollower } from './follower/follower.ts';
import type { FollowedStore } from './follower/ports.ts';
import { openPositionFile } from './follower/position-file.ts';
import { FollowerSlot } from './follower-slot.ts';
import { type Ingest, openIngest } from './ingest/ingest.ts';
import { EMBEDDED_PACE, limitReads, SERVER_PACE } from './limit-reads.ts';
import { lockDataDirectory } from './lock-data-directory.ts';
import { openAdvice } from './open-advice.ts';
import { type AlertsRoom, listFiringAlerts, openAlertsRoom } from './open-alerts.ts';
import { openReconciling, readPipeline } from './open-reconciling.ts';
import { type OpenStore, openStore } from './open-store.ts';
import { openUpkeepRoom } from './open-upkeep.ts';
import { readPackageVersion } from './package-version.ts';
import type { Freshness, StoreReader } from './questions/ports.ts';
import { createQuestions } from './questions/questions.ts';
import { createServiceMetrics, type ServiceMetrics } from './service-metrics.ts';
import { announceWrites, shareReads } from './share-reads.ts';
import { announceStored, Shipped } from './shipped.ts';
import { findStored } from './store/find-stored.ts';
import { createBatchSink } from './store/insert-batch.ts';
import { readOpenLoops, readSessionLoops, writeLoops } from './store/loop-rows.ts';
import { readMaxIngestSeq, readRecent, readStoredUpTo } from './store/read-recent.ts';
import { readRecentReports } from './store/read-recent-reports.ts';
import { countSessionCalls, readNewCalls, readRecentCalls, readSessionCalls } from './store/session-calls.ts';
import type { Store } from './store/store.ts';
import { readOpenStorms, readStormParts, writeStorms } from './store/storm-rows.ts';
import { readToolAnnotations } from './store/tool-annotations.ts';
import { createTurns } from './turns.ts';
import { DiskWatch } from './upkeep/disk-watch.ts';
import type { ReconcileLoop } from './upkeep/reconcile-loop.ts';

export interface Rooms {
  readonly questions: Questions;
  readonly alerts: AlertsRoom;
  readonly upkeep: UpkeepPort;
  /** Takes `POST /v1/traces` and passes on everything else. */
  readonly receiver: RequestHandler;
  /** For people: where the calls are kept. */
  readonly description: string;
  isStoreReachable(): Promise<boolean>;
  /** Whether spans are refused because the disk is nearly full. */
  isDiskLow(): boolean;
  close(): Promise<void>;
}

export interface RoomsOptions {
  readonly log: Logger;
  readonly registry: Registry;
  /** Whether new calls are judged. A command that opens the rooms for a moment would find by thresholds of its own. */
  readonly follows: boolean;
  /** Called after each batch that reached the store, with its number of calls. */
  readonly onStored: (calls: number) => void;
  /** Called after loops that began, changed or ended are in the store; the same news may come twice. */
  readonly onLoops: (notices: readonly LoopNotice[]) => void;
  /** Called when an alert, a delivery or a silence has changed. */
  readonly onAlerts: () => void;
  /** Where people on this machine reach the service. */
  readonly url: string;
  /** Of the hourly look for advice; the machine's own where it is left out. */
  readonly adviceClock?: Clock;
}

/** The journal's own drain takes five seconds of these. */
const INGEST_MS = 7_000;
/** For what follows the calls, and for the alerts. */
const SIDE_MS = 4_000;
/** A page that is open asks again every other second; what another writer stored is never seen later than this. */
const HOLD_READS_MS = 3_000;

/** @throws as `startService` does */
export async function openRooms(config: Config, options: RoomsOptions): Promise<Rooms> {
  const { loops: thresholds, storms: stormThresholds } = readThresholds(config);
  const unlock = await lockDataDirectory(config.dataDirectory);
  let opened: OpenStore | undefined;
  let alerts: AlertsRoom | undefined;
  const { log, registry } = options;
  const metrics = createServiceMetrics(registry, readPackageVersion());
  const disk = await DiskWatch.start({
    directory: config.dataDirectory,
    reserveBytes: config.diskReserveBytes,
    clock: SYSTEM_CLOCK,
    log,
  });
  const closeStore = async (): Promise<void> => {
    disk.close();
    if (alerts) await endWithin(alerts.close(), { what: 'alerts', withinMs: SIDE_MS, log });
    await opened?.close();
    unlock();
  };
  try {
    const bare = await openStore(config, { log, onEngineRestart: () => metrics.countEngineRestart() });
    const reader = limitReads(bare.store, config.clickhouseUrl === undefined ? EMBEDDED_PACE : SERVER_PACE);
    const shared = shareReads(reader, { clock: () => performance.now(), holdAtMostMs: HOLD_READS_MS });
    opened = { ...bare, store: announceWrites(bare.store, shared.forget) };
    const { store, isReachable } = opened;
    metrics.watchDisk(() => disk.freeBytes);
    metrics.watchStore(isReachable);
    alerts = await openAlertsRoom(config, { ...options, store, publish: options.onAlerts });
    const { onLoops, onStorms } = alerts;
    const shipped = new Shipped();
    const ingest = await openIngestOver(config, { ...options, opened, shipped, disk, metrics });
    const follower = await openFollower(config, {
      ...options,
      ...{ opened, ingest, shipped, thresholds, stormThresholds, alert: onLoops, alertStorms: onStorms },
    });
    const inTurn = createTurns();
    const upkeep = openUpkeepRoom(config, { opened, ingest, follower, alerts, shipped, inTurn, log });
    const reconciling = openReconciling(config, { ...options, store, ingest, shipped, inTurn });
    const advice = openAdvice({
      ...{ reader, writer: store, isStoreReachable: isReachable, rawDays: config.retentionDays },
      ...{ clock: options.adviceClock ?? SYSTEM_CLOCK, registry, log },
    });
    return tie(config, {
      ...{ shared, advice, opened, ingest, follower, alerts, upkeep, reconciling },
      ...{ disk, thresholds, metrics, log, closeStore },
    });
  } catch (error) {
    await closeStore();
    throw error;
  }
}

function openIngestOver(
  config: Config,
  {
    opened: { store },
    registry,
    log,
    onStored,
    shipped,
    disk,
    metrics,
  }: RoomsOptions & Under & { readonly disk: DiskWatch; readonly metrics: ServiceMetrics },
): Promise<Ingest> {
  const threadKey = readFingerprintKey(config);
  return openIngest({
    dataDirectory: config.dataDirectory,
    sink: announceStored(metrics.timeInserts(createBatchSink(store)), (calls) => {
      shipped.note(calls);
      onStored(calls.count);
    }),
    findStored: (keys) => findStored(store, keys),
    readRecent: (query) => readRecent(store, query),
    readReports: (query) => readRecentReports(store, query),
    readStoredUpTo: (node) => readStoredUpTo(store, node),
    reduction: { capture: config.capture, fingerprinter: createFingerprinter(threadKey) },
    threadKey,
    retentionDays: config.retentionDays,
    journalCapBytes: config.journalMaxBytes,
    nameLimits: config.nameLimits,
    mayTake: () => disk.mayTake(),
    registry,
    log,
  });
}

interface Under {
  readonly opened: OpenStore;
  readonly shipped: Shipped;
}

interface Followed extends Under {
  readonly ingest: Ingest;
  readonly thresholds: ThresholdTable | undefined;
  /** Resolves once the alerts have looked at it. */
  readonly alert: AlertsRoom['onLoops'];
  readonly alertStorms: AlertsRoom['onStorms'];
  readonly stormThresholds: StormThresholds;
}

async function openFollower(
  { dataDirectory }: Config,
  { follows, opened: { store }, ingest, shipped, log, ...told }: RoomsOptions & Followed,
): Promise<FollowerSlot> {
  const { thresholds, stormThresholds, onLoops, alert, alertStorms: onStorms } = told;
  const { node } = ingest;
  // Nothing waits to be shipped, so nothing of what is in the store is half of a batch.
  if (ingest.pendingCalls === 0) shipped.reach(await readMaxIngestSeq(store, node));
  const start = () =>
    startFollower({
      store: toFollowedStore(store),
      position: openPositionFile(dataDirectory, node),
      node,
      ...(thresholds && { thresholds }),
      stormThresholds,
      onStorms,
      settled: () => shipped.position,
      clock: SYSTEM_CLOCK,
      async onChanges(notices) {
        onLoops(notices);
        await alert(notices);
      },
      log,
    });
  const slot = new FollowerSlot(() => (follows ? start() : undefined));
  shipped.onMore = () => slot.wake();
  return slot;
}

/** Before anything is opened: a file that is wrong stops the start. */
function readThresholds({ loopThresholdsFile: file }: Config) {
  if (file === undefined) return { loops: undefined, storms: DEFAULT_STORM_THRESHOLDS };
  return { loops: readLoopThresholds(file), storms: readStormThresholds(file) };
}

function toFollowedStore(store: Store): FollowedStore {
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
    readStormParts: (record, counted) => readStormParts(store, record, counted),
    writeStorms: (revisions) => writeStorms(store, revisions),
  };
}

interface Opened {
  /** For questions: so many at once, and each once. */
  readonly shared: StoreReader;
  readonly advice: AdviceRounds;
  readonly thresholds: ThresholdTable | undefined;
  readonly opened: OpenStore;
  readonly ingest: Ingest;
  readonly follower: FollowerSlot;
  readonly alerts: AlertsRoom;
  readonly upkeep: UpkeepPort;
  readonly reconciling: ReconcileLoop;
  readonly disk: DiskWatch;
  readonly metrics: ServiceMetrics;
  readonly log: Logger;
  readonly closeStore: () => Promise<void>;
}

function tie(config: Config, tied: Opened): Rooms {
  const { opened, ingest, alerts, disk } = tied;
  return {
    ...openQuestions(config, tied),
    alerts,
    receiver: ingest.receiver,
    description: opened.description,
    isStoreReachable: opened.isReachable,
    isDiskLow: () => disk.mayTake().status === 'no',
    close: () => closeInOrder(tied),
  };
}

function openQuestions(
  { retentionDays, tokenPrice, tokenCurrency }: Config,
  { shared, opened: { store }, upkeep, ingest, alerts, reconciling, disk, metrics, thresholds }: Opened,
): Pick<Rooms, 'questions' | 'upkeep'> {
  const questions = createQuestions({
    store: shared,
    writer: store,
    clock: Date.now,
    freshness: async () => ({
      ...toFreshness(ingest, disk),
      pipeline: await readPipeline(ingest, reconciling),
    }),
    rawDays: retentionDays,
    thresholds,
    firingAlerts: () => listFiringAlerts(alerts.list()),
    ...(tokenPrice !== undefined && { tokenPrice: { perMillion: tokenPrice, currency: tokenCurrency } }),
  });
  return { questions: metrics.timeQuestions(questions), upkeep };
}

async function closeInOrder({
  advice,
  reconciling,
  ingest,
  follower,
  closeStore,
  log,
}: Opened): Promise<void> {
  advice.close();
  // First: closing the ingest ends every hold, and a day must not be replaced without one.
  await reconciling.close();
  await endWithin(ingest.close(), { what: 'ingest', withinMs: INGEST_MS, log });
  await endWithin(follower.close(), { what: 'follower', withinMs: SIDE_MS, log });
  await closeStore();
}

function toFreshness(ingest: Ingest, disk: DiskWatch): Freshness {
  const { pendingCalls, droppedByProducers, rejectedSpans, namesBeyondLimits } = ingest;
  const room = disk.mayTake();
  return {
    pendingCalls,
    droppedByProducers,
    rejectedSpans,
    ...(namesBeyondLimits.length > 0 && { namesBeyondLimits: [...namesBeyondLimits] }),
    ...(room.status === 'no' && { notTaking: room.reason }),
  };
}
