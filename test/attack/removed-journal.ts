// Somebody removes the journal's segments, or puts an old copy of the data directory back while a ClickHouse server has gone on.
// What only those files held is lost; what is acknowledged afterwards must not be.
import { cpSync, lstatSync, readdirSync, rmSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import pino from 'pino';
import { z } from 'zod';
import { startEngine } from '../../src/service/engine/engine.ts';
import { createStore, type Store } from '../../src/service/store/store.ts';
import { toJson, toolCall } from '../service/ingest/otlp-document.ts';
import { createDataFolder } from '../support/data-folder.ts';
import { type RunningService, startService, waitUntilDrained } from '../support/service.ts';
import type { AttackReport, AttackSize } from './attack.ts';

const log = pino({ level: 'silent' });
const BATCHES: Readonly<Record<AttackSize, number>> = { short: 2, full: 20 };
const CALLS = 50;

/** Sends calls one batch after the other, so that each is a segment of its own. */
class Sender {
  readonly #service: RunningService;
  #sent = 0;

  constructor(service: RunningService) {
    this.#service = service;
  }

  /** @returns how many calls were acknowledged so far */
  async send(batches: number): Promise<number> {
    for (let batch = 0; batch < batches; batch += 1) {
      const spans = Array.from({ length: CALLS }, () => toolCall(++this.#sent, Date.now()));
      const { status } = await this.#service.post(toJson(spans));
      if (status !== 200) throw new Error(`Calls were answered with ${status}.`);
      await waitUntilDrained(this.#service);
    }
    return this.#sent;
  }
}

export async function removeSegments(size: AttackSize): Promise<AttackReport> {
  const service = await startService();
  try {
    const sender = new Sender(service);
    await sender.send(BATCHES[size]);
    await service.halt();
    const journal = join(service.dataDirectory, 'journal');
    for (const name of readdirSync(journal)) if (name.endsWith('.seg')) rmSync(join(journal, name));
    await service.start();
    const acknowledged = await sender.send(BATCHES[size]);
    await service.halt();
    const engine = await startEngine({ dataDirectory: service.dataDirectory, log });
    try {
      return await checkStore(engine, acknowledged);
    } finally {
      await engine.stop();
    }
  } finally {
    await service.stop();
  }
}

/** The engine's own HTTP interface stands for the server: the service reaches it as any other. */
export async function restoreOldDirectory(size: AttackSize): Promise<AttackReport> {
  const folder = createDataFolder('toolscope-server-');
  const engine = await startEngine({ dataDirectory: folder, log });
  const { url, username, password } = engine;
  const service = await startService({
    environment: { CLICKHOUSE_URL: url, CLICKHOUSE_USER: username, CLICKHOUSE_PASSWORD: password },
  }).catch(async (error: unknown) => {
    await engine.stop();
    throw error;
  });
  try {
    const sender = new Sender(service);
    await sender.send(1);
    await service.halt();
    const copy = join(folder, 'copy');
    cpSync(service.dataDirectory, copy, { recursive: true, filter: (path) => !lstatSync(path).isSocket() });
    await service.start();
    await sender.send(BATCHES[size]);
    await service.halt();
    rmSync(service.dataDirectory, { recursive: true });
    cpSync(copy, service.dataDirectory, { recursive: true });
    await service.start();
    return await checkStore(engine, await sender.send(BATCHES[size]));
  } finally {
    await service.stop();
    await engine.stop();
    await rm(folder, { recursive: true, force: true });
  }
}

const StoreCountsRow = z.object({
  calls: z.number(),
  ids: z.number(),
  positions: z.number(),
  minutes: z.number(),
});

interface StoreAddress {
  readonly url: string;
  readonly username: string;
  readonly password: string;
}

/** What the store has: calls, different ones, positions, and how many the minutes count. */
export async function countStored({
  url,
  username,
  password,
}: StoreAddress): Promise<z.infer<typeof StoreCountsRow>> {
  const store = createStore({ url, username, password, database: 'toolscope', log });
  try {
    return await queryCounts(store);
  } finally {
    await store.close();
  }
}

async function checkStore(address: StoreAddress, acknowledged: number): Promise<AttackReport> {
  const { calls, ids, positions, minutes } = await countStored(address);
  const expected: [string, number][] = [
    ['calls are in the base table', calls],
    ['different calls are in the base table', ids],
    ['positions of the ingest node are used', positions],
    ['calls are counted by the minute', minutes],
  ];
  return {
    broken: expected
      .filter(([, found]) => found !== acknowledged)
      .map(([what, found]) => `${found} ${what} where ${acknowledged} were acknowledged.`),
    figures: { acknowledged_calls: acknowledged, stored_calls: calls, counted_by_the_minute: minutes },
  };
}

async function queryCounts(store: Store): Promise<z.infer<typeof StoreCountsRow>> {
  const [row] = await store.query({
    sql: `SELECT count() AS calls, uniqExact(trace_id, span_id) AS ids, uniqExact(ingest_node, ingest_seq) AS positions,
            (SELECT sum(calls) FROM tool_minutes) AS minutes
          FROM calls`,
    row: StoreCountsRow,
  });
  return row ?? { calls: 0, ids: 0, positions: 0, minutes: 0 };
}
