// What the proxy makes of the messages it reads along: calls, reduced and delivered exactly as `observe()` would.

import { randomUUID } from 'node:crypto';
import type { CaptureMode } from '../../core/model/tool-call.ts';
import type { Instant, ObservedCall } from '../../core/observer/observed-call.ts';
import { createObserver } from '../../core/observer/observer.ts';
import { reduceCallSteps } from '../../core/observer/reduce-call.ts';
import { createFingerprinter, type Fingerprinter } from '../../core/values/fingerprint.ts';
import { createDelivery } from '../delivery/delivery.ts';
import { now } from '../wrapper/clock.ts';
import { createReductionQueue } from '../wrapper/reduction-queue.ts';
import { createSpanIds } from '../wrapper/span-ids.ts';

const EXPIRY_CHECK_MS = 60_000;

export interface CallReporterOptions {
  /** What the server shall be called; '' leaves it to the server. */
  readonly name: string;
  readonly environment: string;
  readonly capture: CaptureMode;
  /** Full URL and headers; see `resolveTarget`. */
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly onFailure: (reason: string) => void;
  /** Asked once, when the first call is worked out: reading a key may touch the disk. */
  readonly readKey: () => Uint8Array;
}

export interface CallReporter {
  fromClient(message: unknown, at: Instant): void;
  fromServer(message: unknown, at: Instant): void;
  /** The pipe is closed: open calls end, and what waits is sent within `timeoutMs`. Never rejects. */
  close(timeoutMs: number): Promise<void>;
}

/** Creates the reporter of one stdio connection. */
export function createCallReporter(options: CallReporterOptions): CallReporter {
  const { capture, environment, name, url, headers, onFailure } = options;
  const delivery = createDelivery({ endpoint: url, headers, onFailure });
  let fingerprinter: Fingerprinter | undefined;
  let lost = 0;
  const queue = createReductionQueue<ObservedCall>({
    *steps(observed) {
      fingerprinter ??= createFingerprinter(options.readKey());
      const reduced = yield* reduceCallSteps(observed, { capture, fingerprinter });
      delivery.deliver({ ...reduced, droppedCalls: lost });
      lost = 0;
    },
    dropped() {
      lost += 1;
    },
  });
  const observer = createObserver({ ended: queue.push });
  const connection = observer.connect({
    identify: createSpanIds,
    transport: 'stdio',
    connectionId: randomUUID(),
    environment,
    server: { name: '', version: '' },
    serverName: name,
  });
  const expiry = setInterval(() => observer.expire(now()), EXPIRY_CHECK_MS).unref();
  return {
    fromClient: (message, at) => void connection.received(message, at),
    fromServer: (message, at) => connection.sent(message, at),
    async close(timeoutMs) {
      clearInterval(expiry);
      connection.closed(now());
      queue.drain();
      await delivery.flush({ timeoutMs });
    },
  };
}
