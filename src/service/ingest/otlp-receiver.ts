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
  MAX_BODY_BYTES,
  type OtlpRefusal,
  REFUSALS,
  toMalformedRefusal,
  toTooManyPartsRefusal,
} from './otlp-refusals.ts';
import type { PreparationResult } from './prepare-body.ts';
import {
  type BodyCapacity,
  type BodyResult,
  type ContentEncoding,
  type MinBodyRate,
  readBody,
} from './read-body.ts';

export interface OtlpReceiverOptions extends Partial<ReceiverLimits> {
  readonly intake: Pick<Intake, 'take'>;
  /** Prepares the rows of a body and may transfer its bytes. Rejects only for a bug. */
  readonly prepare: (bytes: Buffer, encoding: OtlpEncoding) => Promise<PreparationResult>;
  readonly metrics: IngestMetrics;
  readonly log: Logger;
  /** Why nothing is accepted now; checked before a body is read, and again before it is prepared. */
  readonly findRefusal: () => OtlpRefusal | undefined;
}

interface ReceiverLimits {
  /** Bytes of the bodies of all pending requests; beyond it senders must retry later. */
  readonly maxTotalBodyBytes: number;
  /** Pending requests of any size. */
  readonly maxRequests: number;
  /** A slower connection does not deliver usable telemetry. */
  readonly minBodyRate: MinBodyRate;
  /** A refused sender may continue for this long to receive the response, and is then disconnected. */
  readonly lingerMs: number;
  /**
   * Maximum wait of a body that was read; then its sender must retry. Below the time-outs of exporters (10 s), and long enough
   * for 64 connections with 256 spans each at 10,000 spans a second.
   */
  readonly maxWaitMs: number;
}

const LIMITS: ReceiverLimits = {
  maxTotalBodyBytes: 128 * 1024 * 1024,
  maxRequests: 1_000,
  minBodyRate: { graceMs: 10_000, bytesPerSecond: 4_096 },
  lingerMs: 5_000,
  maxWaitMs: 2_000,
};
/** Prepared bodies that are not durable yet; prepared, they take several times their size. */
const MAX_PREPARED_BYTES = 32 * 1024 * 1024;
/** Bodies in preparation: the current one and the next. */
const MAX_PREPARING = 2;

const BODY_REFUSALS: Readonly<Record<Exclude<BodyResult['status'], 'read' | 'aborted'>, OtlpRefusal>> = {
  too_large: REFUSALS.tooLarge,
  malformed: REFUSALS.notGzip,
  no_capacity: REFUSALS.busy,
  too_slow: REFUSALS.tooSlow,
};

/** @returns a router for `POST /v1/traces`; it reads the body itself, so no body parser may precede it */
export function createOtlpReceiver(options: OtlpReceiverOptions): Router {
  const { intake, prepare, log, metrics } = options;
  const { maxTotalBodyBytes, maxRequests, minBodyRate, lingerMs, maxWaitMs } = { ...LIMITS, ...options };
  const capacity: BodyCapacity = { freeBytes: maxTotalBodyBytes };
  const limiter = new DecodeLimiter({
    maxBytes: MAX_PREPARED_BYTES,
    maxConcurrent: MAX_PREPARING,
    maxWaitMs,
  });
  let requests = 0;

  async function receiveTraces(req: Request, res: Response): Promise<void> {
    const encoding = toOtlpEncoding(req.headers['content-type']);
    const contentEncoding = toContentEncoding(req.headers['content-encoding']);
    if (encoding === undefined) return sendRefusal(res, 'json', REFUSALS.wrongType);
    if (contentEncoding === undefined) return sendRefusal(res, encoding, REFUSALS.wrongEncoding);
    const refusal = findRefusal();
    if (refusal) return sendRefusal(res, encoding, refusal);
    requests += 1;
    const limits = { maxBytes: MAX_BODY_BYTES, capacity, minRate: minBodyRate };
    const body = await readBody(req, { encoding: contentEncoding, ...limits });
    const reservedBytes = body.status === 'read' ? body.bytes.length : 0;
    try {
      if (body.status === 'aborted') return;
      const outcome = await acceptBody(body, encoding);
      if ('httpStatus' in outcome) sendRefusal(res, encoding, outcome);
      else sendAccepted(res, encoding, outcome);
    } catch (error) {
      log.error({ err: error }, 'spans could not be accepted');
      sendRefusal(res, encoding, REFUSALS.internal);
    } finally {
      requests -= 1;
      // Released only now: until its spans are durable, a request holds about as much memory as its body.
      capacity.freeBytes += reservedBytes;
    }
  }

  /** Why a body is not read now. If the first waiter has used half of its time, a new one has no chance. */
  function findRefusal(): OtlpRefusal | undefined {
    const isBusy = requests >= maxRequests || limiter.oldestWaitMs > maxWaitMs / 2;
    return options.findRefusal() ?? (isBusy ? REFUSALS.busy : undefined);
  }

  async function acceptBody(
    body: Exclude<BodyResult, { status: 'aborted' }>,
    encoding: OtlpEncoding,
  ): Promise<OtlpRefusal | AcceptedSpans> {
    if (body.status !== 'read') return BODY_REFUSALS[body.status];
    const { bytes } = body;
    const outcome = await limiter.run({
      bytes: bytes.length,
      // The journal may have filled up in the meantime; then the body is not prepared.
      prepare: async () => options.findRefusal() ?? prepare(bytes, encoding),
      store: async (prepared) => ('httpStatus' in prepared ? prepared : acceptPrepared(prepared)),
    });
    return outcome ?? REFUSALS.busy;
  }

  async function acceptPrepared(body: PreparationResult): Promise<OtlpRefusal | AcceptedSpans> {
    if (body.status === 'unavailable') return REFUSALS.workerRestarting;
    if (body.status === 'malformed') return toMalformedRefusal(body.reason);
    if (body.status === 'too_many_parts') return toTooManyPartsRefusal(body.reason);
    const { prepared, spans, surplusSpans, truncatedValues } = body;
    metrics.countReceived(spans + surplusSpans);
    const taken = await intake.take(prepared);
    if (taken.status === 'full') return REFUSALS.journalFull;
    if (taken.status === 'not_ready') return { ...REFUSALS.notReady, message: taken.reason };
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
    sendRefusal(res, toOtlpEncoding(req.headers['content-type']) ?? 'json', REFUSALS.wrongMethod),
  );
  return router;
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
      ? [`Values that were too long or too deep and were truncated: ${truncatedValues}.`]
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
