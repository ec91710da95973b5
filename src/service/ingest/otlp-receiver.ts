// The OTLP/HTTP receiver. 200 means durable; every other answer says by its status whether to try again (429, 503) or not
// (400, 408, 413, 415), in the encoding of the request. The rules are the specification's, section OTLP/HTTP.

import { type Request, type Response, Router } from 'express';
import type { Logger } from 'pino';
import {
  CONTENT_TYPE_BY_ENCODING,
  encodeResponse,
  encodeStatus,
  type OtlpEncoding,
} from '../../core/otlp/encode-response.ts';
import { DecodeLimiter } from './decode-limiter.ts';
import type { IngestMetrics } from './ingest-metrics.ts';
import type { Intake } from './intake.ts';
import { describeRejections, type RejectionReason } from './normalise-spans.ts';
import {
  BODY_TOO_SLOW,
  BUSY,
  INTERNAL_ERROR,
  JOURNAL_FULL,
  NOT_GZIP,
  NOT_READY,
  type OtlpRefusal,
  toMalformedRefusal,
  toTooLargeRefusal,
  toTooManyPartsRefusal,
  WORKER_RESTARTING,
  WRONG_ENCODING,
  WRONG_METHOD,
  WRONG_TYPE,
} from './otlp-refusals.ts';
import type { PreparationResult } from './prepare-body.ts';
import {
  type BodyCapacity,
  type BodyResult,
  type ContentEncoding,
  type MinBodyRate,
  readBody,
  releaseCapacity,
} from './read-body.ts';

/** Said by whoever watches the disk. */
export type DiskSpaceStatus =
  | { readonly status: 'yes' }
  | { readonly status: 'no'; readonly reason: string; readonly retryAfterSeconds: number };

export interface OtlpReceiverOptions {
  readonly intake: Pick<Intake, 'take'>;
  /** Makes rows of a body; its bytes may be gone afterwards. Rejects only for a bug. */
  readonly prepare: (bytes: Buffer, encoding: OtlpEncoding) => Promise<PreparationResult>;
  readonly metrics: IngestMetrics;
  readonly log: Logger;
  /** Whether requests are taken at all, and whether there is room; asked before a body is read. */
  readonly readiness: () => 'ready' | 'not_ready' | 'full';
  /** Whether there is room outside of the journal; asked before a body is read. There is, unless told. */
  readonly checkDiskSpace?: () => DiskSpaceStatus;
  /** Of a body as sent and as inflated, in bytes; 64 MiB unless told. */
  readonly maxBodyBytes?: number;
  /** Of the bodies of all requests that have no answer yet; 128 MiB unless told. */
  readonly maxTotalBodyBytes?: number;
  /** Requests without an answer; 1000 unless told. */
  readonly maxRequests?: number;
  /** 4 KiB a second after ten seconds unless told. */
  readonly minBodyRate?: MinBodyRate;
  readonly lingerMs?: number;
  /** 300 ms unless told. */
  readonly maxWaitMs?: number;
}

/** The limit that the specification recommends. */
const MAX_BODY_BYTES = 64 * 1024 * 1024;
/** Of the bodies of all requests that have no answer yet; beyond it senders are asked to wait. */
const MAX_TOTAL_BODY_BYTES = 128 * 1024 * 1024;
/** Of the bodies that are prepared and not durable yet: prepared, they take several times as much. */
const MAX_PREPARED_BYTES = 32 * 1024 * 1024;
/** With the preparer at once: one, and the next. */
const MAX_PREPARING = 2;
/** However small they are. */
const MAX_REQUESTS = 1_000;
/** For a body that was read to wait for its turn; then its sender is asked to come again. */
const MAX_WAIT_MS = 300;
/** A line that is slower than this brings no telemetry. */
const MIN_BODY_RATE: MinBodyRate = { graceMs: 10_000, bytesPerSecond: 4_096 };
/** A refused sender may go on for this long, so that it can see its answer, and is then cut off. */
const LINGER_MS = 5_000;

/** @returns a router for `POST /v1/traces`; it reads the body itself, so no body parser may stand before it */
export function createOtlpReceiver(options: OtlpReceiverOptions): Router {
  const { log, metrics, maxBodyBytes = MAX_BODY_BYTES, maxRequests = MAX_REQUESTS } = options;
  const { minBodyRate = MIN_BODY_RATE, lingerMs = LINGER_MS, maxWaitMs = MAX_WAIT_MS } = options;
  const capacity: BodyCapacity = { freeBytes: options.maxTotalBodyBytes ?? MAX_TOTAL_BODY_BYTES };
  const limits = { maxBytes: MAX_PREPARED_BYTES, maxConcurrent: MAX_PREPARING, maxWaitMs };
  const limiter = new DecodeLimiter(limits);
  let requests = 0;

  async function receiveTraces(req: Request, res: Response): Promise<void> {
    const encoding = toOtlpEncoding(req.headers['content-type']);
    const contentEncoding = toContentEncoding(req.headers['content-encoding']);
    if (encoding === undefined) return sendRefusal(res, 'json', WRONG_TYPE);
    if (contentEncoding === undefined) return sendRefusal(res, encoding, WRONG_ENCODING);
    const refusal = findRefusal();
    if (refusal) return sendRefusal(res, encoding, refusal);
    requests += 1;
    const limits = { maxBytes: maxBodyBytes, capacity, minRate: minBodyRate };
    const body = await readBody(req, { encoding: contentEncoding, ...limits });
    const reservedBytes = body.status === 'read' ? body.bytes.length : 0;
    try {
      if (body.status === 'aborted') return;
      const outcome = await acceptBody(body, encoding);
      if ('httpStatus' in outcome) sendRefusal(res, encoding, outcome);
      else sendAccepted(res, encoding, outcome);
    } catch (error) {
      log.error({ err: error }, 'spans could not be taken');
      sendRefusal(res, encoding, INTERNAL_ERROR);
    } finally {
      requests -= 1;
      // Only now: until its spans are durable, a request holds about as much memory as its body had.
      releaseCapacity(capacity, reservedBytes);
    }
  }

  /** Why no body is read at all. */
  function findRefusal(): OtlpRefusal | undefined {
    return findReadinessRefusal() ?? (isBusy() ? BUSY : undefined);
  }

  /** Why nobody is let in, however little there is to do. */
  function findReadinessRefusal(): OtlpRefusal | undefined {
    const readiness = options.readiness();
    const diskSpace = options.checkDiskSpace?.() ?? { status: 'yes' };
    if (readiness !== 'ready') return readiness === 'full' ? JOURNAL_FULL : NOT_READY;
    return diskSpace.status === 'no' ? toDiskFullRefusal(diskSpace) : undefined;
  }

  /** Who would come behind somebody that has waited for half of the time already would hardly get in. */
  function isBusy(): boolean {
    return requests >= maxRequests || limiter.oldestWaitMs > maxWaitMs / 2;
  }

  async function acceptBody(body: Exclude<BodyResult, { status: 'aborted' }>, encoding: OtlpEncoding) {
    if (body.status === 'too_large') return toTooLargeRefusal(maxBodyBytes);
    if (body.status === 'malformed') return NOT_GZIP;
    if (body.status === 'no_room') return BUSY;
    if (body.status === 'too_slow') return BODY_TOO_SLOW;
    const { bytes } = body;
    const outcome = await limiter.run({
      bytes: bytes.length,
      // The journal may have become full meanwhile; then nothing is gained by reading the body.
      prepare: async () => findReadinessRefusal() ?? options.prepare(bytes, encoding),
      store: async (prepared) => ('httpStatus' in prepared ? prepared : acceptPrepared(prepared)),
    });
    return outcome ?? BUSY;
  }

  async function acceptPrepared(body: PreparationResult): Promise<OtlpRefusal | AcceptedSpans> {
    if (body.status === 'unavailable') return WORKER_RESTARTING;
    if (body.status === 'malformed') return toMalformedRefusal(body.reason);
    if (body.status === 'too_many_parts') return toTooManyPartsRefusal(body.reason);
    const { prepared, spans, surplusSpans, truncatedValues } = body;
    metrics.countReceived(spans + surplusSpans);
    const taken = await options.intake.take(prepared);
    if (taken.status === 'full') return JOURNAL_FULL;
    if (taken.status !== 'taken') return { ...NOT_READY, message: taken.reason };
    metrics.countTruncated(truncatedValues);
    if (surplusSpans === 0) return { rejected: taken.rejected, truncatedValues };
    const surplus: ReadonlyMap<RejectionReason, number> = new Map([['too_many', surplusSpans]]);
    metrics.countRejected(surplus);
    return { rejected: new Map([...taken.rejected, ...surplus]), truncatedValues };
  }

  function sendRefusal(res: Response, encoding: OtlpEncoding, refusal: OtlpRefusal): void {
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
  router.post('/v1/traces', receiveTraces);
  router.all('/v1/traces', (req, res) =>
    sendRefusal(res, toOtlpEncoding(req.headers['content-type']) ?? 'json', WRONG_METHOD),
  );
  return router;
}

function toDiskFullRefusal({
  reason,
  retryAfterSeconds,
}: Extract<DiskSpaceStatus, { status: 'no' }>): OtlpRefusal {
  return { ...JOURNAL_FULL, message: reason, retryAfter: String(retryAfterSeconds) };
}

function toOtlpEncoding(contentType = ''): OtlpEncoding | undefined {
  const type = contentType.split(';', 1)[0]?.trim().toLowerCase();
  if (type === CONTENT_TYPE_BY_ENCODING.json) return 'json';
  return type === CONTENT_TYPE_BY_ENCODING.protobuf ? 'protobuf' : undefined;
}

function toContentEncoding(header = 'identity'): ContentEncoding | undefined {
  const name = header.trim().toLowerCase();
  return name === 'gzip' || name === 'identity' ? name : name === '' ? 'identity' : undefined;
}

/** A request that was taken. */
interface AcceptedSpans {
  readonly rejected: ReadonlyMap<RejectionReason, number>;
  readonly truncatedValues: number;
}

function sendAccepted(
  res: Response,
  encoding: OtlpEncoding,
  { rejected, truncatedValues }: AcceptedSpans,
): void {
  const rejectedSpans = [...rejected.values()].reduce((sum, spans) => sum + spans, 0);
  const messages = [
    ...(rejectedSpans > 0 ? [describeRejections(rejected)] : []),
    // By the protocol, a message without rejected spans is a warning.
    ...(truncatedValues > 0
      ? [`Values that were too long or too deep and were cut: ${truncatedValues}.`]
      : []),
  ];
  const partial = messages.length === 0 ? undefined : { rejectedSpans, errorMessage: messages.join(' ') };
  send(res, { httpStatus: 200, encoding, body: encodeResponse(encoding, partial) });
}

interface OtlpResponse {
  readonly httpStatus: number;
  readonly encoding: OtlpEncoding;
  readonly body: Uint8Array;
}

/** Past Express's own `send`, which would add an ETag and a charset that protobuf has none of. */
function send(res: Response, { httpStatus, encoding, body }: OtlpResponse): void {
  res.writeHead(httpStatus, {
    'Content-Type': CONTENT_TYPE_BY_ENCODING[encoding],
    'Content-Length': body.length,
  });
  res.end(body);
}
