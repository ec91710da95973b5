// The thread in which large bodies are prepared: reads them one after the other and hands their rows back. It holds no
// state between two bodies, so whoever started it may end it at any time and send again what had no answer.

import { parentPort, workerData } from 'node:worker_threads';
import { createFingerprinter } from '../../core/values/fingerprint.ts';
import { prepareBody } from './prepare-body.ts';
import type { ThreadAnswer, ThreadOrder, ThreadStart } from './prepare-messages.ts';

// Only `BodyPreparer` starts this.
const { capture, key } = workerData as ThreadStart;
const reduction = { capture, fingerprinter: createFingerprinter(Buffer.from(key)) };

let turn: Promise<void> = Promise.resolve();

parentPort?.on('message', (order: ThreadOrder) => {
  turn = turn.then(() => answer(order));
});

async function answer({ id, body }: ThreadOrder): Promise<void> {
  try {
    const result = await prepareBody(body, reduction);
    const rows = result.status === 'prepared' ? [result.prepared.rows.buffer as ArrayBuffer] : [];
    send({ id, result }, rows);
  } catch (error) {
    send({ id, failure: error instanceof Error ? error.message : 'unknown' });
  }
}

function send(message: ThreadAnswer, transferred: readonly ArrayBuffer[] = []): void {
  parentPort?.postMessage(message, transferred);
}

send({ isReady: true });
