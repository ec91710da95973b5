// The OTLP/HTTP receiver. 200 means durable; every other answer says by its status whether to try again (429, 503) or not
// (400, 408, 413, 415), in the encoding of the request. The rules are the specification's, section OTLP/HTTP.

import { type Request, type Response, Router } from 'express';
import type { Logger } from 'pino';
import {
  CONTENT_TYPE_OF_ENCODING,
  encodeAnswer,
  encodeStatus,
  type OtlpEncoding,
} from '../../core/otlp/answer.ts';
import { DecodeGate } from './decode-gate.ts';
import type { IngestMetrics } from './ingest-metrics.ts';
import type { Intake } from './intake.ts';
import type { Preparation } from './prepare-body.ts';
import {
  type Body,
  type BodyRoom,
  type ContentEncoding,
  type LeastPace,
  readBody,
  releaseBody,
} from './read-body.ts';
import {
  BROKEN,
  BUSY,
  FULL,
  malformed,
  NOT_GZIP,
  NOT_READY,
  PREPARER_ENDED,
  type Refusal,
  TOO_SLOW,
  tooLarge,
  tooManyParts,
  WRONG_ENCODING,
  WRONG_METHOD,
  WRONG_TYPE,
} from './refusals.ts';
import { formatRejections, type Rejection } from './sort-spans.ts';

/** Said by whoever watches the disk. */
export type MayTake =
  | { readonly status: 'yes' }
  | { readonly status: 'no'; readonly reason: string; readonly retryAfterSeconds: number };

export interface ReceiverOptions {
  readonly intake: Pick<Intake, 'take'>;
  /** Makes rows of a body; its bytes may be gone afterwards. Rejects only for a bug. */
  readonly prepare: (bytes: Buffer, encoding: OtlpEncoding) => Promise<Preparation>;
  readonly metrics: IngestMetrics;
  readonly log: Logger;
  /** Whether requests are taken at all, and whether there is room; asked before a body is read. */
  readonly readiness: () => 'ready' | 'not_ready' | 'full';
  /** Whether there is room outside of the journal; asked before a body is read. There is, unless told. */
  readonly mayTake?: () => MayTake;
  /** Of a body as sent and as inflated, in bytes; 64 MiB unless told. */
  readonly bodyLimitBytes?: number;
  /** Of the bodies of all requests that have no answer yet; 128 MiB unless told. */
  readonly allBodiesBytes?: number;
  /** Requests without an answer; 1000 unless told. */
  readonly mostRequests?: number;
  /** 4 KiB a second after ten seconds unless told. */
  readonly leastPace?: LeastPace;
  readonly lingerMs?: number;
  /** 300 ms unless told. */
  readonly longestWaitMs?: number;
}

/** The limit that the specification recommends. */
const BODY_LIMIT_BYTES = 64 * 1024 * 1024;
/** Of the bodies of all requests that have no answer yet; beyond it senders are asked to wait. */
const ALL_BODIES_BYTES = 128 * 1024 * 1024;
/** Of the bodies that are prepared and not durable yet: prepared, they take several times as much. */
const PREPARED_BYTES = 32 * 1024 * 1024;
/** With the preparer at once: one, and the next. */
const PREPARING = 2;
/** However small they are. */
const MOST_REQUESTS = 1_000;
/** For a body that was read to wait for its turn; then its sender is asked to come again. */
const LONGEST_WAIT_MS = 300;
/** A line that is slower than this brings no telemetry. */
const LEAST_PACE: LeastPace = { graceMs: 10_000, bytesPerSecond: 4_096 };
/** A refused sender may go on for this long, so that it can see its answer, and is then cut off. */
const LINGER_MS = 5_000;

/** @returns a router for `POST /v1/traces`; it reads the body itself, so no body parser may stand before it */
export function createReceiver(options: ReceiverOptions): Router {
  const { log, metrics, bodyLimitBytes = BODY_LIMIT_BYTES, mostRequests = MOST_REQUESTS } = options;
  const { leastPace: pace = LEAST_PACE, lingerMs = LINGER_MS } = options;
  const { longestWaitMs = LONGEST_WAIT_MS } = options;
  const room: BodyRoom = { freeBytes: options.allBodiesBytes ?? ALL_BODIES_BYTES };
  const gate = new DecodeGate({ capacity: PREPARED_BYTES, preparing: PREPARING, longestWaitMs });
  let requests = 0;

  async function answerTraces(req: Request, res: Response): Promise<void> {
    const encoding = encodingOf(req.headers['content-type']);
    const contentEncoding = contentEncodingOf(req.headers['content-encoding']);
    if (encoding === undefined) return sendRefusal(res, 'json', WRONG_TYPE);
    if (contentEncoding === undefined) return sendRefusal(res, encoding, WRONG_ENCODING);
    const closed = findClosedDoor();
    if (closed) return sendRefusal(res, encoding, closed);
    requests += 1;
    const body = await readBody(req, { encoding: contentEncoding, limitBytes: bodyLimitBytes, room, pace });
    const heldBytes = body.status === 'read' ? body.bytes.length : 0;
    try {
      if (body.status === 'aborted') return;
      const answer = await takeBody(body, encoding);
      if ('httpStatus' in answer) sendRefusal(res, encoding, answer);
      else sendTaken(res, encoding, answer);
    } catch (error) {
      log.error({ err: error }, 'spans could not be taken');
      sendRefusal(res, encoding, BROKEN);
    } finally {
      requests -= 1;
      // Only now: until its spans are durable, a request holds about as much memory as its body had.
      releaseBody(room, heldBytes);
    }
  }

  /** Why no body is read at all. */
  function findClosedDoor(): Refusal | undefined {
    return findShutDoor() ?? (isBusy() ? BUSY : undefined);
  }

  /** Why nobody is let in, however little there is to do. */
  function findShutDoor(): Refusal | undefined {
    const readiness = options.readiness();
    const room = options.mayTake?.() ?? { status: 'yes' };
    if (readiness !== 'ready') return readiness === 'full' ? FULL : NOT_READY;
    return room.status === 'no' ? noRoom(room) : undefined;
  }

  /** Who would come behind somebody that has waited for half of the time already would hardly get in. */
  function isBusy(): boolean {
    return requests >= mostRequests || gate.oldestWaitMs > longestWaitMs / 2;
  }

  async function takeBody(body: Exclude<Body, { status: 'aborted' }>, encoding: OtlpEncoding) {
    if (body.status === 'too_large') return tooLarge(bodyLimitBytes);
    if (body.status === 'malformed') return NOT_GZIP;
    if (body.status === 'no_room') return BUSY;
    if (body.status === 'too_slow') return TOO_SLOW;
    const { bytes } = body;
    const answer = await gate.run({
      bytes: bytes.length,
      // The journal may have become full meanwhile; then nothing is gained by reading the body.
      prepare: async () => findShutDoor() ?? options.prepare(bytes, encoding),
      store: async (prepared) => ('httpStatus' in prepared ? prepared : takePrepared(prepared)),
    });
    return answer ?? BUSY;
  }

  async function takePrepared(body: Preparation): Promise<Refusal | Answered> {
    if (body.status === 'unavailable') return PREPARER_ENDED;
    if (body.status === 'malformed') return malformed(body.reason);
    if (body.status === 'too_many_parts') return tooManyParts(body.reason);
    const { prepared, spans, surplusSpans, cutValues } = body;
    metrics.countReceived(spans + surplusSpans);
    const taken = await options.intake.take(prepared);
    if (taken.status === 'full') return FULL;
    if (taken.status !== 'taken') return { ...NOT_READY, message: taken.reason };
    metrics.countCut(cutValues);
    if (surplusSpans === 0) return { rejected: taken.rejected, cutValues };
    const surplus: ReadonlyMap<Rejection, number> = new Map([['too_many', surplusSpans]]);
    metrics.countRejected(surplus);
    return { rejected: new Map([...taken.rejected, ...surplus]), cutValues };
  }

  function sendRefusal(res: Response, encoding: OtlpEncoding, refusal: Refusal): void {
    const { httpStatus, code, message, retryAfter } = refusal;
    metrics.countRefused(httpStatus);
    // Read on and forget: a connection that is closed on unread bytes is reset, and the sender never sees the answer.
    if (!res.req.complete) linger(res.req.resume());
    if (retryAfter !== undefined) res.set('Retry-After', retryAfter);
    if (httpStatus === 405) res.set('Allow', 'POST');
    send(res, { httpStatus, encoding, body: encodeStatus(encoding, { code, message }) });
  }

  function linger(req: Request): void {
    const cut = setTimeout(() => req.complete || req.destroy(), lingerMs);
    cut.unref();
    req.once('close', () => clearTimeout(cut));
  }

  const router = Router();
  router.post('/v1/traces', answerTraces);
  router.all('/v1/traces', (req, res) =>
    sendRefusal(res, encodingOf(req.headers['content-type']) ?? 'json', WRONG_METHOD),
  );
  return router;
}

function noRoom({ reason, retryAfterSeconds }: Extract<MayTake, { status: 'no' }>): Refusal {
  return { ...FULL, message: reason, retryAfter: String(retryAfterSeconds) };
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

/** A request that was taken. */
interface Answered {
  readonly rejected: ReadonlyMap<Rejection, number>;
  readonly cutValues: number;
}

function sendTaken(res: Response, encoding: OtlpEncoding, { rejected, cutValues }: Answered): void {
  const rejectedSpans = [...rejected.values()].reduce((sum, spans) => sum + spans, 0);
  const words = [
    ...(rejectedSpans > 0 ? [formatRejections(rejected)] : []),
    // By the protocol, a message without rejected spans is a warning.
    ...(cutValues > 0 ? [`Values that were too long or too deep and were cut: ${cutValues}.`] : []),
  ];
  const partial = words.length === 0 ? undefined : { rejectedSpans, errorMessage: words.join(' ') };
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
