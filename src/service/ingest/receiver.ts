// The OTLP/HTTP receiver. 200 means durable; every other answer says by its status whether to try again (429, 503) or not
// (400, 413, 415), in the encoding of the request. The rules are the specification's, section OTLP/HTTP.

import { isUtf8 } from 'node:buffer';
import { type Request, type Response, Router } from 'express';
import type { Logger } from 'pino';
import {
  CONTENT_TYPE_OF_ENCODING,
  encodeAnswer,
  encodeStatus,
  type OtlpEncoding,
  RPC_CODES,
} from '../../core/otlp/answer.ts';
import { decodeTracesJson } from '../../core/otlp/decode-json.ts';
import { decodeTracesProtobuf } from '../../core/otlp/decode-protobuf.ts';
import type { DecodeResult } from '../../core/otlp/decode-result.ts';
import type { IngestMetrics } from './ingest-metrics.ts';
import type { Intake, Taken } from './intake.ts';
import { type Body, type BodyRoom, type ContentEncoding, readBody, releaseBody } from './read-body.ts';
import { formatRejections } from './sort-spans.ts';

export interface ReceiverOptions {
  readonly intake: Pick<Intake, 'take'>;
  readonly metrics: IngestMetrics;
  readonly log: Logger;
  /** Whether requests are taken at all, and whether there is room; asked before a body is read. */
  readonly readiness: () => 'ready' | 'not_ready' | 'full';
  /** Of a body as sent and as inflated, in bytes; 64 MiB unless told. */
  readonly bodyLimitBytes?: number;
  /** Of the bodies of all requests that have no answer yet; 256 MiB unless told. */
  readonly allBodiesBytes?: number;
}

/** The limit that the specification recommends. */
const BODY_LIMIT_BYTES = 64 * 1024 * 1024;
/** Of the bodies of all requests that have no answer yet; beyond it senders are asked to wait. */
const ALL_BODIES_BYTES = 256 * 1024 * 1024;
/** Seconds: a full journal empties as fast as the store takes it; the rest passes in a moment. */
const RETRY_AFTER_FULL = '5';
const RETRY_AFTER_NOT_READY = '1';

interface Refusal {
  readonly httpStatus: number;
  readonly code: number;
  readonly message: string;
  readonly retryAfter?: string;
}

const FULL: Refusal = {
  httpStatus: 429,
  code: RPC_CODES.resourceExhausted,
  message: 'The journal is full. Try again later.',
  retryAfter: RETRY_AFTER_FULL,
};
const NOT_READY: Refusal = {
  httpStatus: 503,
  code: RPC_CODES.unavailable,
  message: 'The service is starting or draining. Try again in a moment.',
  retryAfter: RETRY_AFTER_NOT_READY,
};
const BUSY: Refusal = { ...NOT_READY, message: 'Too many requests at once. Try again in a moment.' };
const WRONG_TYPE: Refusal = {
  httpStatus: 415,
  code: RPC_CODES.invalidArgument,
  message: 'Expected content type application/x-protobuf or application/json.',
};
const WRONG_ENCODING: Refusal = {
  httpStatus: 415,
  code: RPC_CODES.invalidArgument,
  message: 'Expected content encoding gzip or identity.',
};
const NOT_GZIP: Refusal = {
  httpStatus: 400,
  code: RPC_CODES.invalidArgument,
  message: 'The body is not complete gzip, as its content encoding says.',
};
const WRONG_METHOD: Refusal = {
  httpStatus: 405,
  code: RPC_CODES.unimplemented,
  message: 'Expected POST.',
};
const BROKEN: Refusal = {
  httpStatus: 500,
  code: RPC_CODES.internal,
  message: 'Something broke inside.',
};

/** @returns a router for `POST /v1/traces`; it reads the body itself, so no body parser may stand before it */
export function createReceiver(options: ReceiverOptions): Router {
  const { log, metrics, bodyLimitBytes = BODY_LIMIT_BYTES } = options;
  const room: BodyRoom = { freeBytes: options.allBodiesBytes ?? ALL_BODIES_BYTES };

  async function answerTraces(req: Request, res: Response): Promise<void> {
    const encoding = encodingOf(req.headers['content-type']);
    const contentEncoding = contentEncodingOf(req.headers['content-encoding']);
    if (encoding === undefined) return sendRefusal(res, 'json', WRONG_TYPE);
    if (contentEncoding === undefined) return sendRefusal(res, encoding, WRONG_ENCODING);
    const closed = findClosedDoor();
    if (closed) return sendRefusal(res, encoding, closed);
    const body = await readBody(req, { encoding: contentEncoding, limitBytes: bodyLimitBytes, room });
    if (body.status === 'aborted') return;
    try {
      const answer = await takeBody(body, encoding);
      if ('httpStatus' in answer) sendRefusal(res, encoding, answer);
      else sendTaken(res, encoding, answer);
    } catch (error) {
      log.error({ err: error }, 'spans could not be taken');
      sendRefusal(res, encoding, BROKEN);
    } finally {
      // Only now: until its spans are durable, a request holds about as much memory as its body had.
      if (body.status === 'read') releaseBody(room, body.bytes);
    }
  }

  /** Why no body is read at all. */
  function findClosedDoor(): Refusal | undefined {
    const readiness = options.readiness();
    if (readiness === 'ready') return undefined;
    return readiness === 'full' ? FULL : NOT_READY;
  }

  async function takeBody(body: Exclude<Body, { status: 'aborted' }>, encoding: OtlpEncoding) {
    if (body.status === 'too_large') return tooLarge(bodyLimitBytes);
    if (body.status === 'malformed') return NOT_GZIP;
    if (body.status === 'no_room') return BUSY;
    const decoded = decode(body.bytes, encoding);
    if (decoded.status === 'malformed') return malformed(decoded.reason);
    metrics.countReceived(decoded.spans.length);
    const taken = await options.intake.take(decoded.spans);
    if (taken.status === 'full') return FULL;
    return taken.status === 'taken' ? taken : { ...NOT_READY, message: taken.reason };
  }

  function sendRefusal(res: Response, encoding: OtlpEncoding, refusal: Refusal): void {
    const { httpStatus, code, message, retryAfter } = refusal;
    metrics.countRefused(httpStatus);
    // Read on and forget: a connection that is closed on unread bytes is reset, and the sender never sees the answer.
    res.req.resume();
    if (retryAfter !== undefined) res.set('Retry-After', retryAfter);
    if (httpStatus === 405) res.set('Allow', 'POST');
    send(res, { httpStatus, encoding, body: encodeStatus(encoding, { code, message }) });
  }

  const router = Router();
  router.post('/v1/traces', answerTraces);
  router.all('/v1/traces', (req, res) =>
    sendRefusal(res, encodingOf(req.headers['content-type']) ?? 'json', WRONG_METHOD),
  );
  return router;
}

function encodingOf(contentType = ''): OtlpEncoding | undefined {
  const type = contentType.split(';', 1)[0]?.trim().toLowerCase();
  if (type === CONTENT_TYPE_OF_ENCODING.json) return 'json';
  return type === CONTENT_TYPE_OF_ENCODING.protobuf ? 'protobuf' : undefined;
}

function contentEncodingOf(header = 'identity'): ContentEncoding | undefined {
  const name = header.trim().toLowerCase();
  return name === 'gzip' || name === 'identity' ? name : name === '' ? 'identity' : undefined;
}

function decode(bytes: Buffer, encoding: OtlpEncoding): DecodeResult {
  if (encoding === 'protobuf') return decodeTracesProtobuf(bytes);
  if (!isUtf8(bytes)) return { status: 'malformed', reason: 'the body is not valid UTF-8' };
  return decodeTracesJson(bytes.toString('utf8'));
}

function malformed(reason: string): Refusal {
  return {
    httpStatus: 400,
    code: RPC_CODES.invalidArgument,
    message: `The body is no ExportTraceServiceRequest: ${reason}.`,
  };
}

function tooLarge(limitBytes: number): Refusal {
  return {
    httpStatus: 413,
    code: RPC_CODES.resourceExhausted,
    message: `The body is larger than ${limitBytes} bytes, as sent or inflated. Send smaller batches.`,
  };
}

function sendTaken(res: Response, encoding: OtlpEncoding, { rejected }: Extract<Taken, { status: 'taken' }>) {
  const rejectedSpans = [...rejected.values()].reduce((sum, spans) => sum + spans, 0);
  const partial =
    rejectedSpans === 0 ? undefined : { rejectedSpans, errorMessage: formatRejections(rejected) };
  send(res, { httpStatus: 200, encoding, body: encodeAnswer(encoding, partial) });
}

interface Answer {
  readonly httpStatus: number;
  readonly encoding: OtlpEncoding;
  readonly body: Uint8Array;
}

/** Past Express's own `send`, which would add an ETag and a charset that protobuf has none of. */
function send(res: Response, { httpStatus, encoding, body }: Answer): void {
  res.writeHead(httpStatus, {
    'Content-Type': CONTENT_TYPE_OF_ENCODING[encoding],
    'Content-Length': body.length,
  });
  res.end(body);
}
