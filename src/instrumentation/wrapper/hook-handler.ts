// Hooks a fetch-style handler, to see the requests that it refuses before a server object exists: without a valid
// session, authorization or content type. What an observed server receives is reported by that server alone.

import type { Instant } from '../../core/observer/observed-call.ts';
import { now } from './clock.ts';
import { runInExchange } from './handler-exchange.ts';
import { neverThrow } from './never-throw.ts';
import type { AnyFunction } from './sdk-shapes.ts';

export interface RefusedRequest {
  readonly startedAt: Instant;
  readonly endedAt: Instant;
  readonly headers: Headers;
  readonly status: number;
  /** JSON of the request and of the response; undefined where there is none. */
  readonly request: unknown;
  readonly response: unknown;
}

/** Bytes of a request and of a response that are read. */
const MAX_BODY_BYTES = 1024 * 1024;

/** Status of a handler that throws: what frameworks then answer. */
const THROWN_STATUS = 500;

/** @param report called after the response; its exceptions are ignored */
export function hookHandler(handler: AnyFunction, report: (refused: RefusedRequest) => void): AnyFunction {
  return function observed(...parameters) {
    const request = neverThrow(() => copyRequest(parameters[0]));
    if (request === undefined) return Reflect.apply(handler, this, parameters);
    const startedAt = now();
    const exchange = { isReceived: false };
    const settle = (response: unknown): void =>
      void neverThrow(() => {
        if (exchange.isReceived || !isRefusal(response)) discard(request);
        else
          void readRefusal({ request, response, startedAt })
            .then(report)
            .catch(() => {});
      });
    try {
      const answer: unknown = runInExchange(exchange, () => Reflect.apply(handler, this, parameters));
      // Registered first, so that the response is copied before its body is read.
      if (answer instanceof Promise) answer.then(settle, () => settle(undefined));
      else settle(answer);
      return answer;
    } catch (error) {
      settle(undefined);
      throw error;
    }
  };
}

/** Undefined for a request that cannot have a JSON-RPC message, or a large one. */
function copyRequest(request: unknown): Request | undefined {
  if (!(request instanceof Request) || request.method !== 'POST' || request.bodyUsed) return undefined;
  const isJson = /\bjson\b/i.test(request.headers.get('content-type') ?? 'json');
  const isLarge = Number(request.headers.get('content-length') ?? 0) > MAX_BODY_BYTES;
  return isJson && !isLarge ? request.clone() : undefined;
}

/** @param response undefined if the handler threw */
function isRefusal(response: unknown): response is Response | undefined {
  return response === undefined || (response instanceof Response && response.status >= 400);
}

function discard({ body }: Request): void {
  body?.cancel().catch(() => {});
}

async function readRefusal({
  request,
  response,
  startedAt,
}: {
  readonly request: Request;
  readonly response: Response | undefined;
  readonly startedAt: Instant;
}): Promise<RefusedRequest> {
  const endedAt = now();
  const copy = response?.bodyUsed === false ? response.clone() : undefined;
  return {
    startedAt,
    endedAt,
    headers: request.headers,
    status: response?.status ?? THROWN_STATUS,
    request: await readJson(request),
    response: copy && (await readJson(copy)),
  };
}

/** Undefined when the body is too long or not JSON. */
async function readJson({ body }: Request | Response): Promise<unknown> {
  if (body === null) return undefined;
  const chunks: Uint8Array[] = [];
  let length = 0;
  for await (const chunk of body) {
    length += chunk.length;
    // Leaving the loop cancels the rest.
    if (length > MAX_BODY_BYTES) return undefined;
    chunks.push(chunk);
  }
  try {
    return JSON.parse(Buffer.concat(chunks).toString());
  } catch {
    // A text or a page: it has no more than its status.
    return undefined;
  }
}
