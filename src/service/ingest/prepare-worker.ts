// Entry point of the preparing worker: prepares bodies one after the other and returns their rows. It has no
// state between bodies, so it can be terminated at any time and unanswered bodies sent again.

import { parentPort, workerData } from 'node:worker_threads';
import { createFingerprinter } from '../../core/values/fingerprint.ts';
import type { PrepareRequest, PrepareResponse, PrepareWorkerData } from './body-preparer.ts';
import { prepareBody } from './prepare-body.ts';

// Only `BodyPreparer` starts this.
const { capture, key } = workerData as PrepareWorkerData;
const redaction = { capture, fingerprinter: createFingerprinter(Buffer.from(key)) };

let queue: Promise<void> = Promise.resolve();

parentPort?.on('message', (order: PrepareRequest) => {
  queue = queue.then(() => respond(order));
});

async function respond({ id, body }: PrepareRequest): Promise<void> {
  try {
    const result = await prepareBody(body, redaction);
    const rows = result.status === 'prepared' ? [result.prepared.rows.buffer as ArrayBuffer] : [];
    send({ id, result }, rows);
  } catch (error) {
    send({ id, failure: error instanceof Error ? error.message : 'unknown' });
  }
}

function send(message: PrepareResponse, transferred: readonly ArrayBuffer[] = []): void {
  parentPort?.postMessage(message, transferred);
}

send({ isReady: true });
