// The machine's clock is set back by two hours, under the service and its engine, and forward again. Needs Debian's `faketime`.
import { existsSync, readdirSync, writeFileSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import pino from 'pino';
import { startEngine } from '../../src/service/engine/engine.ts';
import { toJson, toolCall } from '../service/ingest/otlp-document.ts';
import { createDataFolder } from '../support/data-folder.ts';
import { startService, waitUntilDrained } from '../support/service.ts';
import type { AttackReport } from './attack.ts';
import { countStored } from './removed-journal.ts';

const LIBRARIES = '/usr/lib';
const BACK_MS = 2 * 3_600_000;
const CALLS = 50;

export async function attackClock(): Promise<AttackReport> {
  const library = findLibrary();
  if (library === undefined)
    return { broken: ['libfaketime is not installed here: apt-get install faketime.'], figures: {} };
  const folder = createDataFolder('toolscope-clock-');
  const clock = join(folder, 'offset');
  writeFileSync(clock, '+0s\n');
  const service = await startService({
    environment: {
      LD_PRELOAD: library,
      FAKETIME_TIMESTAMP_FILE: clock,
      FAKETIME_NO_CACHE: '1',
      FAKETIME_DONT_FAKE_MONOTONIC: '1',
    },
  });
  try {
    const statuses: number[] = [];
    const send = async (first: number, nowMs: number): Promise<void> => {
      const spans = Array.from({ length: CALLS }, (_, n) => toolCall(first + n, nowMs - 1_000));
      statuses.push((await service.post(toJson(spans))).status);
      await waitUntilDrained(service);
    };
    const startedMs = Date.now();
    await send(1, startedMs);
    writeFileSync(clock, `-${BACK_MS / 1_000}s\n`);
    await send(101, startedMs - BACK_MS);
    await service.kill();
    await service.start();
    await send(201, Date.now() - BACK_MS);
    writeFileSync(clock, '+0s\n');
    await send(301, Date.now());
    // Whole requests of before and of meanwhile once more: known by their ids, whatever the clock said.
    await send(1, startedMs);
    await send(101, startedMs - BACK_MS);
    await service.halt();
    const engine = await startEngine({
      dataDirectory: service.dataDirectory,
      log: pino({ level: 'silent' }),
    });
    try {
      const counted = await countStored(engine);
      const acknowledged = 4 * CALLS;
      const isRight = Object.values(counted).every((count) => count === acknowledged);
      return {
        broken: [
          ...statuses
            .filter((status) => status !== 200)
            .map((status) => `Calls were answered with ${status}.`),
          ...(isRight ? [] : [`${JSON.stringify(counted)} where ${acknowledged} calls were acknowledged.`]),
        ],
        figures: { acknowledged_calls: acknowledged, ...counted },
      };
    } finally {
      await engine.stop();
    }
  } finally {
    await service.stop();
    await rm(folder, { recursive: true, force: true });
  }
}

function findLibrary(): string | undefined {
  return readdirSync(LIBRARIES)
    .map((name) => join(LIBRARIES, name, 'faketime', 'libfaketime.so.1'))
    .find((path) => existsSync(path));
}
