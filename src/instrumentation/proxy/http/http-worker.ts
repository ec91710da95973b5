// The worker thread that observes HTTP traffic. Parsing, redaction and export run here, so that they never delay
// forwarding. Started only by `http-traffic-observer.ts`.

import { randomUUID } from 'node:crypto';
import { parentPort, workerData } from 'node:worker_threads';
import type { OpenCall } from '../../../core/observer/observed-call.ts';
import { ATTR_PROXY } from '../../../core/semconv/toolscope-attributes.ts';
import { createSpanIds } from '../../wrapper/span-ids.ts';
import { createCallPipeline, createRedaction } from '../call-pipeline.ts';
import { toPipelineOptions } from '../pipeline-options.ts';
import { createExchangeObserver } from './exchange-observer.ts';
import type { HttpPart } from './http-part.ts';
import type { HttpWorkerData, HttpWorkerRequest } from './http-traffic-observer.ts';

// Only `HttpTrafficObserver` starts this worker.
const { settings, observedBytes } = workerData as HttpWorkerData;
const options = toPipelineOptions(settings);
const unreadCalls = new WeakSet<OpenCall>();
const redact = createRedaction(options);
const pipeline = createCallPipeline(options, {
  isLost: ({ open }) => unreadCalls.has(open),
  /** Adds the note by which the service recognises the server's own report of the call. */
  *redact(observed) {
    const { call, ...rest } = yield* redact(observed);
    return { ...rest, call: { ...call, attributes: { ...call.attributes, [ATTR_PROXY]: 'http' } } };
  },
});
const exchanges = createExchangeObserver({
  connect: (facts) =>
    pipeline.observer.connect({
      ...facts,
      identify: createSpanIds,
      connectionId: randomUUID(),
      environment: options.environment,
      server: { name: '', version: '' },
      serverName: settings.name,
    }),
  countLost: pipeline.countLost,
  onUnread: (call) => void unreadCalls.add(call),
});

function observePart(part: HttpPart): void {
  try {
    exchanges.take(part);
  } catch {
    // An error in our own code: the exchange yields no call.
  }
  if (part.kind === 'bytes') Atomics.add(observedBytes, 0, part.bytes.length);
}

parentPort?.on('message', (request: HttpWorkerRequest) => {
  if (request.kind === 'parts') for (const part of request.parts) observePart(part);
  else void pipeline.close(request.timeoutMs).then(() => parentPort?.postMessage('closed'));
});
