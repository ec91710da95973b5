// The table of secrets through real servers, real emitters and a real service: in the modes none, shape and redacted not
// one of them is in a file, a column, a log or an answer. In `full` the same search finds every one, so it can find; and in
// `redacted` what only looks like a secret can be read.
import { dirname, join } from 'node:path';
import { describe, expect, test } from 'vitest';
import type { CaptureMode } from '../../src/core/model/tool-call.ts';
import { redactSecrets } from '../../src/core/values/redact-text.ts';
import { KEYED_SECRETS, NEAR_SECRETS, SECRETS } from '../core/values/secret-table.ts';
import { listChildProcesses } from '../support/child-processes.ts';
import { isFullRun, sampleCases } from '../support/property-runs.ts';
import { type RunningService, startService, waitUntilDrained } from '../support/service.ts';
import { isExpectedRefusal, listRequests } from './privacy-requests.ts';
import { findInFiles, findInResponses, findInStore, findInText } from './privacy-search.ts';
import { type SensitiveInput, sendFromEmitters, sendFromServers } from './privacy-senders.ts';

/** redact-text.test.ts holds each secret against the rules; in the quick run, some of them take the whole way. */
const SENT_SECRETS = sampleCases(SECRETS, 3);
const SENT_KEYED_SECRETS = sampleCases(KEYED_SECRETS, 3);
const SENT_NEAR_SECRETS = sampleCases(NEAR_SECRETS, 3);

const SECRET_INPUTS: readonly SensitiveInput[] = [
  ...SENT_SECRETS.map(({ text }) => ({ text, value: { note: text } })),
  ...SENT_KEYED_SECRETS.map(({ value }) => ({ text: JSON.stringify(value), value })),
];
const NEEDLES = [...SENT_SECRETS, ...SENT_KEYED_SECRETS].map(({ needle }) => needle);
const NEAR_SECRET_INPUTS: readonly SensitiveInput[] = SENT_NEAR_SECRETS.map(({ text }) => ({
  text,
  value: { note: text },
}));
const NEAR_NEEDLES = SENT_NEAR_SECRETS.map(({ text }) => text);

/** What an author may have left in a definition and is recognised by its pattern. */
const DEFINITION_SECRETS = SENT_SECRETS.filter(
  ({ text, needle }) => !redactSecrets(text).includes(needle),
).map(({ text }) => text);

interface LeakReport {
  readonly secrets: ReadonlyMap<string, readonly string[]>;
  readonly nearSecrets: ReadonlyMap<string, readonly string[]>;
}

/** The stream of what happens, read along until it is stopped. */
function recordStream(service: RunningService): { stop(): string } {
  const abort = new AbortController();
  let heard = '';
  async function read(): Promise<void> {
    const response = await fetch(`${service.base}/api/v1/stream`, { signal: abort.signal });
    for await (const bytes of response.body ?? []) heard += Buffer.from(bytes).toString();
  }
  read().catch(() => undefined);
  return {
    stop() {
      abort.abort();
      return heard;
    },
  };
}

/** Plays all while the engine is held still, so that the journal has it; then lets it be stored and looks again. */
async function findLeaks(capture: CaptureMode): Promise<LeakReport> {
  const service = await startService({
    environment: { TOOLSCOPE_CAPTURE: capture, TOOLSCOPE_LOG_LEVEL: 'debug' },
  });
  const secrets = new Map<string, string[]>();
  const nearSecrets = new Map<string, string[]>();
  const home = dirname(service.dataDirectory);
  try {
    // Once a first span is stored, the ingest knows the store's recent past and needs it no more for new spans.
    await sendFromEmitters([{ text: 'harbour', value: {} }], service);
    await waitUntilDrained(service);
    const stream = recordStream(service);
    const [engine = 0] = listChildProcesses(service.pid);
    process.kill(engine, 'SIGSTOP');
    const stderr = await sendFromServers(SECRET_INPUTS, {
      service,
      capture,
      words: DEFINITION_SECRETS,
      stateDirectory: join(home, 'producer'),
    });
    await sendFromEmitters([...SECRET_INPUTS, ...NEAR_SECRET_INPUTS], service);
    const files = findInFiles(home, NEEDLES, secrets);
    process.kill(engine, 'SIGCONT');
    await waitUntilDrained(service);
    const requests = await listRequests(service);
    const refused = await findInResponses(service, requests, { needles: NEEDLES, finds: secrets });
    findInText(stream.stop(), NEEDLES, 'the stream', secrets);
    findInText(stderr, NEEDLES, 'stderr of the servers', secrets);
    await service.halt();
    findInText(service.log(), NEEDLES, 'the log', secrets);
    findInFiles(home, NEEDLES, secrets);
    const stored = new Map<string, string[]>();
    const sought = capture === 'redacted' ? [...NEEDLES, ...NEAR_NEEDLES] : NEEDLES;
    const { columns } = await findInStore(service.dataDirectory, sought, stored);
    for (const [text, places] of stored) {
      const finds = NEAR_NEEDLES.includes(text) ? nearSecrets : secrets;
      finds.set(text, [...(finds.get(text) ?? []), ...places]);
    }
    expect({ files: files > 2, columns: columns > 60 }).toEqual({ files: true, columns: true });
    expect(refused).toEqual(refused.filter(isExpectedRefusal));
    return { secrets, nearSecrets };
  } finally {
    await service.stop();
  }
}

const leakLocations = (finds: ReadonlyMap<string, readonly string[]>, needle: string): readonly string[] =>
  finds.get(needle) ?? [];

describe('secrets in calls', { timeout: 300_000 }, () => {
  test.each(sampleCases<CaptureMode>(['shape', 'none'], 2))(
    'no secret is stored, logged or returned in capture mode %s',
    async (mode) => {
      expect(Object.fromEntries((await findLeaks(mode)).secrets)).toEqual({});
    },
  );

  // Requirement: privacy.redacted
  test('redacted mode stores no secret and keeps harmless text that only resembles one', async () => {
    const { secrets, nearSecrets } = await findLeaks('redacted');
    expect(Object.fromEntries(secrets)).toEqual({});
    for (const { name, text } of SENT_NEAR_SECRETS) {
      expect(leakLocations(nearSecrets, text), name).toEqual(
        expect.arrayContaining(['payloads.arguments', 'payloads.result', 'calls.error_message']),
      );
    }
  });

  // What the search can find changes with the search only.
  test.runIf(isFullRun)(
    'the same search finds the secrets in full mode, in files, columns and responses',
    async () => {
      const { secrets } = await findLeaks('full');
      for (const { name, needle } of [...SENT_SECRETS, ...SENT_KEYED_SECRETS]) {
        const places = leakLocations(secrets, needle);
        expect(places, name).toEqual(
          expect.arrayContaining(['payloads.arguments', 'payloads.result', 'calls.tool_name']),
        );
        expect(
          places.some((place) => place.startsWith('/data/journal')),
          name,
        ).toBe(true);
        expect(
          places.some((place) => place.startsWith('/api/v1/')),
          name,
        ).toBe(true);
      }
    },
  );
});
