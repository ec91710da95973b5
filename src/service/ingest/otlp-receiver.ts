// The OTLP/HTTP receiver. 200 means durable; other statuses say whether to retry (429, 503) or not (400, 408,
// 413, 415), in the encoding of the request. Follows the OTLP specification, section OTLP/HTTP.

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

/** Reported by the disk space monitor. */
export type DiskSpaceStatus =
  | { readonly status: 'yes' }
  | { readonly status: 'no'; readonly reason: string; readonly retryAfterSeconds: number };

export interface OtlpReceiverOptions {
  readonly intake: Pick<Intake, 'take'>;
  /** Prepares the rows of a body and may transfer its bytes. Rejects only for a bug. */
  readonly prepare: (bytes: Buffer, encoding: OtlpEncoding) => Promise<PreparationResult>;
  readonly metrics: IngestMetrics;
  readonly log: Logger;
  /** Whether requests are accepted and there is capacity; checked before a body is read. */
  readonly readiness: () => 'ready' | 'not_ready' | 'full';
  /** Disk space outside the journal, checked before a body is read; assumed sufficient by default. */
  readonly checkDiskSpace?: () => DiskSpaceStatus;
  /** Maximum bytes of a body, both as sent and inflated; default 64 MiB. */
  readonly maxBodyBytes?: number;
  /** Maximum bytes of the bodies of all pending requests; default 128 MiB. */
  readonly maxTotalBodyBytes?: number;
  /** Maximum pending requests; default 1000. */
  readonly maxRequests?: number;
  /** Default 4 KiB per second after ten seconds. */
  readonly minBodyRate?: MinBodyRate;
  readonly lingerMs?: number;
  /** Default 300 ms. */
  readonly maxWaitMs?: number;
}

/** The limit that the specification recommends. */
const MAX_BODY_BYTES = 64 * 1024 * 1024;
/** Bodies of all pending requests; beyond it senders must retry later. */
const MAX_TOTAL_BODY_BYTES = 128 * 1024 * 1024;
/** Prepared bodies that are not durable yet; prepared, they take several times their size. */
const MAX_PREPARED_BYTES = 32 * 1024 * 1024;
/** Bodies in preparation: the current one and the next. */
const MAX_PREPARING = 2;
/** Regardless of size. */
const MAX_REQUESTS = 1_000;
/** Maximum wait of a body that was read; then its sender must retry. */
const MAX_WAIT_MS = 300;
/** A slower connection does not deliver usable telemetry. */
const MIN_BODY_RATE: MinBodyRate = { graceMs: 10_000, bytesPerSecond: 4_096 };
/** A refused sender may continue for this long to receive the response, and is then disconnected. */
const LINGER_MS = 5_000;

/** \n@returns a router for `POST /v1/traces`; it reads the body itself, so no body parser may precede it */
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
      // Released only now: until its spans are durable, a request holds about as much memory as its body.
      releaseCapacity(capacity, reservedBytes);
    }
  }

  /** Reasons to refuse a request before its body is read. */
  function findRefusal(): OtlpRefusal | undefined {
    return findReadinessRefusal() ?? (isBusy() ? BUSY : undefined);
  }

  /** Reasons to refuse every request, regardless of load. */
  function findReadinessRefusal(): OtlpRefusal | undefined {
    const readiness = options.readiness();
    const diskSpace = options.checkDiskSpace?.() ?? { status: 'yes' };
    if (readiness !== 'ready') return readiness === 'full' ? JOURNAL_FULL : NOT_READY;
    return diskSpace.status === 'no' ? toDiskFullRefusal(diskSpace) : undefined;
  }

  /** If the first waiter has already used half of the time, a new one would hardly be admitted. */
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
      // The journal may have filled up in the meantime; then the body is not prepared.
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
    // Drains the body: closing a connection with unread bytes resets it, and the sender never sees the
    // response.
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

/** An accepted request. */
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
    // In OTLP, a message without rejected spans is a warning.
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

/** Bypasses Express's `send`, which would add an ETag and a charset that protobuf does not have. */
function send(res: Response, { httpStatus, encoding, body }: OtlpResponse): void {
  res.writeHead(httpStatus, {
    'Content-Type': CONTENT_TYPE_BY_ENCODING[encoding],
    'Content-Length': body.length,
  });
  res.end(body);
}
