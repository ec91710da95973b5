// The receiver's refusals: the status tells a sender to retry (429, 503) or give up (400, 408, 413, 415), and
// the sentence is for its operator.

import { RPC_CODES } from '../../core/otlp/encode-response.ts';

export interface OtlpRefusal {
  readonly httpStatus: number;
  readonly code: number;
  readonly message: string;
  readonly retryAfter?: string;
}

/** Seconds: a full journal drains as fast as the store accepts it; other conditions pass quickly. */
const RETRY_AFTER_FULL = '5';
const RETRY_AFTER_TRANSIENT = '1';

export const JOURNAL_FULL: OtlpRefusal = {
  httpStatus: 429,
  code: RPC_CODES.resourceExhausted,
  message: 'The journal is full. Try again later.',
  retryAfter: RETRY_AFTER_FULL,
};
export const BUSY: OtlpRefusal = {
  httpStatus: 429,
  code: RPC_CODES.resourceExhausted,
  message: 'Too many requests at once. Try again in a moment.',
  retryAfter: RETRY_AFTER_TRANSIENT,
};
export const NOT_READY: OtlpRefusal = {
  httpStatus: 503,
  code: RPC_CODES.unavailable,
  message: 'The service is starting or draining. Try again in a moment.',
  retryAfter: RETRY_AFTER_TRANSIENT,
};
export const WORKER_RESTARTING: OtlpRefusal = {
  httpStatus: 503,
  code: RPC_CODES.unavailable,
  message: 'The thread that reads large bodies has ended and starts again. Try again in a moment.',
  retryAfter: RETRY_AFTER_TRANSIENT,
};
export const WRONG_TYPE: OtlpRefusal = {
  httpStatus: 415,
  code: RPC_CODES.invalidArgument,
  message: 'Expected content type application/x-protobuf or application/json.',
};
export const WRONG_ENCODING: OtlpRefusal = {
  httpStatus: 415,
  code: RPC_CODES.invalidArgument,
  message: 'Expected content encoding gzip or identity.',
};
export const NOT_GZIP: OtlpRefusal = {
  httpStatus: 400,
  code: RPC_CODES.invalidArgument,
  message: 'The body is not complete gzip, as its content encoding says.',
};
export const BODY_TOO_SLOW: OtlpRefusal = {
  httpStatus: 408,
  code: RPC_CODES.deadlineExceeded,
  message: 'The body came too slowly.',
};
export const WRONG_METHOD: OtlpRefusal = {
  httpStatus: 405,
  code: RPC_CODES.unimplemented,
  message: 'Expected POST.',
};
export const INTERNAL_ERROR: OtlpRefusal = {
  httpStatus: 500,
  code: RPC_CODES.internal,
  message: 'Something broke inside.',
};

/** \n@param reason names a position, never a value */
export function toMalformedRefusal(reason: string): OtlpRefusal {
  return {
    httpStatus: 400,
    code: RPC_CODES.invalidArgument,
    message: `The body is no ExportTraceServiceRequest: ${reason}.`,
  };
}

export function toTooLargeRefusal(limitBytes: number): OtlpRefusal {
  return {
    httpStatus: 413,
    code: RPC_CODES.resourceExhausted,
    message: `The body is larger than ${limitBytes} bytes, as sent or inflated. Send smaller batches.`,
  };
}

export function toTooManyPartsRefusal(reason: string): OtlpRefusal {
  return {
    httpStatus: 413,
    code: RPC_CODES.resourceExhausted,
    message: `The request is too large: ${reason}. Send smaller batches.`,
  };
}
