// The receiver's refusals: the status tells a sender to retry (429, 503) or give up (400, 408, 413, 415), and
// the sentence is for its operator.

import { RPC_CODES } from '../../core/otlp/encode-response.ts';

export interface OtlpRefusal {
  readonly httpStatus: number;
  readonly code: number;
  readonly message: string;
  /** Seconds. */
  readonly retryAfter?: string;
}

/** The limit that the OTLP specification recommends, for a body as sent and inflated. */
export const MAX_BODY_BYTES = 64 * 1024 * 1024;

const { invalidArgument, resourceExhausted, unavailable } = RPC_CODES;

export const REFUSALS = {
  // A full journal drains as fast as the store accepts it; the other conditions pass quickly.
  journalFull: refusal(429, resourceExhausted, 'The journal is full. Try again later.', '5'),
  busy: refusal(429, resourceExhausted, 'Too many concurrent requests. Try again in a moment.', '1'),
  notReady: refusal(503, unavailable, 'The service is starting or draining. Try again in a moment.', '1'),
  workerRestarting: refusal(
    503,
    unavailable,
    'The thread that decodes large bodies is restarting. Try again in a moment.',
    '1',
  ),
  wrongType: refusal(
    415,
    invalidArgument,
    'Expected content type application/x-protobuf or application/json.',
  ),
  wrongEncoding: refusal(415, invalidArgument, 'Expected content encoding gzip or identity.'),
  notGzip: refusal(400, invalidArgument, 'The body is not complete gzip data, as its encoding says.'),
  tooLarge: refusal(
    413,
    resourceExhausted,
    `The body is larger than ${MAX_BODY_BYTES} bytes, as sent or inflated. Send smaller batches.`,
  ),
  tooSlow: refusal(408, RPC_CODES.deadlineExceeded, 'The body arrived too slowly.'),
  wrongMethod: refusal(405, RPC_CODES.unimplemented, 'Expected POST.'),
  internal: refusal(500, RPC_CODES.internal, 'Internal error.'),
} as const;

/** @param reason names a position, never a value */
export function toMalformedRefusal(reason: string): OtlpRefusal {
  return refusal(400, invalidArgument, `The body is not an ExportTraceServiceRequest: ${reason}.`);
}

export function toTooManyPartsRefusal(reason: string): OtlpRefusal {
  return refusal(413, resourceExhausted, `The request is too large: ${reason}. Send smaller batches.`);
}

function refusal(httpStatus: number, code: number, message: string, retryAfter?: string): OtlpRefusal {
  return { httpStatus, code, message, ...(retryAfter !== undefined && { retryAfter }) };
}
