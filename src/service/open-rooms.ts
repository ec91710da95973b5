// Opens what lies behind the API, in order: store, then ingest over it, then the questions. Closes in the other order:
// what was taken is shipped before the store goes.

import type { RequestHandler } from 'express';
import type { Logger } from 'pino';
import type { Registry } from 'prom-client';
import { createFingerprinter } from '../core/values/fingerprint.ts';
import type { Questions } from './api/questions-port.ts';
import { readFingerprintKey } from './config/fingerprint-key.ts';
import type { Config } from './config/settings.ts';
import type { BatchSink } from './ingest/batch-sink.ts';
import { type Ingest, openIngest } from './ingest/ingest.ts';
import { lockDataDirectory } from './lock-data-directory.ts';
import { type OpenStore, openStore } from './open-store.ts';
import { createQuestions } from './questions/questions.ts';
import { findStored } from './store/find-stored.ts';
import { createBatchSink } from './store/insert-batch.ts';
import { readRecent } from './store/read-recent.ts';

export interface Rooms {
  readonly questions: Questions;
  /** Takes `POST /v1/traces` and passes on everything else. */
  readonly receiver: RequestHandler;
  /** For people: where the calls are kept. */
  readonly description: string;
  isStoreReachable(): Promise<boolean>;
  close(): Promise<void>;
}

export interface RoomsOptions {
  readonly log: Logger;
  readonly registry: Registry;
  /** Called after each batch that reached the store, with its number of calls. */
  readonly onStored: (calls: number) => void;
}

/** @throws as `startService` does */
export async function openRooms(config: Config, options: RoomsOptions): Promise<Rooms> {
  const unlock = await lockDataDirectory(config.dataDirectory);
  let opened: OpenStore | undefined;
  const closeStore = async (): Promise<void> => {
    await opened?.close();
    unlock();
  };
  try {
    opened = await openStore(config, options.log);
    const ingest = await openIngestOver(config, { ...options, opened });
    return tie(config, { opened, ingest, closeStore });
  } catch (error) {
    await closeStore();
    throw error;
  }
}

function openIngestOver(
  config: Config,
  { opened: { store }, registry, log, onStored }: RoomsOptions & { readonly opened: OpenStore },
): Promise<Ingest> {
  return openIngest({
    dataDirectory: config.dataDirectory,
    sink: announceStored(createBatchSink(store), onStored),
    findStored: (keys) => findStored(store, keys),
    readRecent: (query) => readRecent(store, query),
    reduction: { capture: config.capture, fingerprinter: createFingerprinter(readFingerprintKey(config)) },
    retentionDays: config.retentionDays,
    registry,
    log,
  });
}

interface Opened {
  readonly opened: OpenStore;
  readonly ingest: Ingest;
  readonly closeStore: () => Promise<void>;
}

function tie(config: Config, { opened, ingest, closeStore }: Opened): Rooms {
  const { store, description, isReachable } = opened;
  return {
    questions: createQuestions({
      store,
      clock: Date.now,
      freshness: () => ingest,
      rawDays: config.retentionDays,
    }),
    receiver: ingest.receiver,
    description,
    isStoreReachable: isReachable,
    async close() {
      await ingest.close();
      await closeStore();
    },
  };
}

const NEWLINE = 0x0a;

/** A sink that says how many calls it brought home; it changes nothing about the answer. */
function announceStored(sink: BatchSink, onStored: (calls: number) => void): BatchSink {
  return {
    async insert(batch) {
      const result = await sink.insert(batch);
      if (result.status !== 'retryable') onStored(countLines(batch.tables.find(isCalls)?.rows));
      return result;
    },
  };
}

function isCalls({ table }: { readonly table: string }): boolean {
  return table === 'calls';
}

function countLines(rows: Uint8Array = new Uint8Array()): number {
  let lines = 0;
  for (let at = rows.indexOf(NEWLINE); at !== -1; at = rows.indexOf(NEWLINE, at + 1)) lines += 1;
  return lines;
}
