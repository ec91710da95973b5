// Sends the simulated spans to the service, as OTLP over HTTP like any exporter, and the annotations over its API.

import type { AnnotationBody } from '../../contract/changes.ts';
import { type EncodedSpan, joinSpansJson } from '../../core/otlp/encode-json.ts';

/** Spans of a request; about two megabytes. */
const BATCH_SPANS = 1_000;
const MAX_TRIES = 20;

/**
 * Sends spans in order, and again while the service is busy.
 * @throws Error when the service refuses them
 */
export async function sendSpans(base: string, spans: readonly EncodedSpan[]): Promise<void> {
  for (let at = 0; at < spans.length; at += BATCH_SPANS)
    await postBatch(base, joinSpansJson(spans.slice(at, at + BATCH_SPANS)));
}

async function postBatch(base: string, body: Uint8Array): Promise<void> {
  for (let tries = 1; ; tries += 1) {
    const response = await post(`${base}/v1/traces`, Buffer.from(body)).catch((error: unknown) => {
      // A connection that the service closed. Spans that arrive twice are stored once.
      if (tries >= MAX_TRIES) throw error;
      return undefined;
    });
    if (response === undefined) continue;
    if (response.ok) return void (await response.arrayBuffer());
    const isBusy = response.status === 429 || response.status === 503;
    if (!isBusy || tries >= MAX_TRIES) throw await toError('simulated calls', response);
    await new Promise((resolve) =>
      setTimeout(resolve, 1_000 * (Number(response.headers.get('retry-after')) || 1)),
    );
  }
}

/** @throws Error when the service refuses it */
export async function addAnnotation(base: string, annotation: AnnotationBody): Promise<void> {
  const response = await post(`${base}/api/v1/annotations`, JSON.stringify(annotation));
  if (!response.ok) throw await toError('an annotation', response);
}

function post(url: string, body: string | Buffer<ArrayBuffer>): Promise<Response> {
  return fetch(url, { method: 'POST', headers: { 'content-type': 'application/json' }, body });
}

async function toError(what: string, response: Response): Promise<Error> {
  return new Error(`The service did not accept ${what}: ${response.status} ${await response.text()}`);
}
