// A whole service in the test's own process, over a data directory of its own, with calls sent as OTLP.
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { pino } from 'pino';
import { type Flags, readReportedConfig } from '../../src/service/config/read-config.ts';
import { readControlFile } from '../../src/service/data-directory/control-file.ts';
import { startService } from '../../src/service/main.ts';
import { type TestSpan, toJson } from '../service/ingest/otlp-document.ts';
import { createDataFolder } from './data-folder.ts';
import { copyMigratedEngine } from './migrated-engine.ts';
import { until } from './service.ts';

export interface InProcessService {
  readonly url: string;
  readonly dataDirectory: string;
  send(spans: readonly TestSpan[]): Promise<void>;
  /** Resolves when nothing waits in the journal. */
  settled(): Promise<void>;
  ask<T>(path: string): Promise<T>;
  /** Posts to an upkeep route with the key of the data directory. */
  control(path: string, body: object, headers?: Record<string, string>): Promise<Response>;
  close(): Promise<void>;
}

export function createServiceFolder(): string {
  return createDataFolder('toolscope-U2-');
}

export function removeServiceFolder(folder: string): void {
  rmSync(folder, { recursive: true, force: true });
}

export async function startInProcessService(folder: string, flags: Flags = {}): Promise<InProcessService> {
  const dataDirectory = join(folder, 'data');
  copyMigratedEngine(dataDirectory);
  const { config, settings } = readReportedConfig({
    flags: { dataDirectory, port: '0', ...flags },
    environment: { TOOLSCOPE_FINGERPRINT_KEY: 'key-of-this-test-only', HOME: folder },
  });
  const service = await startService(config, { log: pino({ level: 'silent' }), settings });
  const ask = async <T>(path: string): Promise<T> => {
    const response = await fetch(`${service.url}/api/v1/${path}`);
    if (!response.ok) throw new Error(`GET ${path}: ${response.status} ${await response.text()}`);
    return (await response.json()) as T; // the test names the shape it reads
  };
  return {
    url: service.url,
    dataDirectory,
    ask,
    async send(spans) {
      const response = await fetch(`${service.url}/v1/traces`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: toJson(spans),
      });
      if (response.status !== 200) throw new Error(`OTLP: ${response.status} ${await response.text()}`);
    },
    async settled() {
      await until(
        async () => {
          const { freshness } = await ask<{ freshness: { pendingCalls: number } }>('summary');
          return freshness.pendingCalls === 0 ? true : undefined;
        },
        { withinMs: 60_000 },
      );
    },
    control: (path, body, headers) =>
      fetch(`${service.url}/api/v1/${path}`, {
        method: 'POST',
        headers: {
          'content-type': 'application/json',
          'x-toolscope-control': readControlFile(dataDirectory)?.key ?? '',
          ...headers,
        },
        body: JSON.stringify(body),
      }),
    close: () => service.close(),
  };
}
