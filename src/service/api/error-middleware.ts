// Maps errors to HTTP responses. A bug is logged in full and answered only with its kind; user errors are
// described in full. OTLP paths use the OTLP status format.

import type { ErrorRequestHandler, Request, RequestHandler, Response } from 'express';
import type { Logger } from 'pino';
import type { ErrorResponse } from '../../contract/error-response.ts';
import { CONTENT_TYPE_BY_ENCODING, encodeStatus, RPC_CODES } from '../../core/otlp/encode-response.ts';
import { type ErrorCode, UpstreamError, UserError } from '../../errors.ts';

/** Seconds a client is asked to wait before it tries again; an engine restarts in less than five. */
const RETRY_AFTER_SECONDS = 2;

const STATUS_BY_CODE: Partial<Readonly<Record<ErrorCode, number>>> = {
  UNAUTHORIZED: 401,
  FORBIDDEN: 403,
  HOST_REFUSED: 403,
  ORIGIN_REFUSED: 403,
  NOT_FOUND: 404,
  BODY_TOO_SLOW: 408,
  AMBIGUOUS_SESSION: 409,
  RULES_CHANGED: 409,
  BODY_TOO_LARGE: 413,
  UNSUPPORTED_MEDIA_TYPE: 415,
  JOURNAL_FULL: 429,
  TOO_MANY_ATTEMPTS: 429,
};

/** PERMISSION_DENIED is 7; the rest have names. */
const RPC_CODE_BY_STATUS: Readonly<Record<number, number>> = {
  401: RPC_CODES.unauthenticated,
  403: 7,
  404: RPC_CODES.unimplemented,
  429: RPC_CODES.resourceExhausted,
  503: RPC_CODES.unavailable,
};

/** What an error answers with. */
interface HttpError {
  readonly status: number;
  readonly retryAfterSeconds?: number;
  readonly body: ErrorResponse;
}

/**
 * Converts an error to the response of the API.
 *
 * @param error any thrown value
 * @returns status and body; anything but our two kinds and Express's own refusals is a 500 without details
 */
function toHttpError(error: unknown): HttpError {
  if (error instanceof UserError) {
    const { retryAfterSeconds } = error;
    const status = STATUS_BY_CODE[error.code] ?? 400;
    return {
      status,
      ...(retryAfterSeconds !== undefined && { retryAfterSeconds }),
      body: toErrorResponse(error),
    };
  }
  if (error instanceof UpstreamError) return toUpstreamHttpError(error);
  const status = findClientErrorStatus(error);
  if (status === undefined)
    return {
      status: 500,
      body: toErrorResponse({
        code: 'INTERNAL',
        message: 'Internal error. The log of the service has the details.',
      }),
    };
  const code = status === 413 ? 'BODY_TOO_LARGE' : status === 415 ? 'UNSUPPORTED_MEDIA_TYPE' : 'INVALID_BODY';
  return { status, body: toErrorResponse({ code, message: 'The request body could not be read.' }) };
}

function toUpstreamHttpError(error: UpstreamError): HttpError {
  const status = error.code === 'STORE_TIMEOUT' ? 504 : error.retryable ? 503 : 502;
  return {
    status,
    ...(error.retryable && { retryAfterSeconds: RETRY_AFTER_SECONDS }),
    body: toErrorResponse(error),
  };
}

interface ErrorBodyFields {
  readonly code: ErrorCode;
  readonly message: string;
  readonly field?: string | undefined;
  readonly hint?: string | undefined;
}

function toErrorResponse({ code, message, field, hint }: ErrorBodyFields): ErrorResponse {
  return { error: { code, message, ...(field && { field }), ...(hint && { hint }) } };
}

/** A 4xx that Express or its body parsers threw; their messages may repeat the input and are not shown. */
function findClientErrorStatus(error: unknown): number | undefined {
  if (!(error instanceof Error) || !('status' in error)) return undefined;
  const { status } = error;
  return typeof status === 'number' && status >= 400 && status < 500 ? status : undefined;
}

/** An answer that has begun cannot be taken back, so its connection is cut. */
function sendError(req: Request, res: Response, problem: HttpError): void {
  if (res.headersSent) {
    res.destroy();
    return;
  }
  const { status, retryAfterSeconds, body } = problem;
  if (retryAfterSeconds !== undefined) res.set('Retry-After', String(retryAfterSeconds));
  if (status === 401) res.set('WWW-Authenticate', 'Bearer realm="toolscope"');
  res.status(status).set('Cache-Control', 'no-store');
  if (/^\/v1\//i.test(req.path)) sendOtlpStatus(req, res, problem);
  else res.json(body);
}

/** OTLP answers in the encoding of the request, refusals too. */
function sendOtlpStatus(req: Request, res: Response, { status, body }: HttpError): void {
  const encoding = req.headers['content-type']?.includes('protobuf') ? 'protobuf' : 'json';
  const code = RPC_CODE_BY_STATUS[status] ?? (status >= 500 ? RPC_CODES.internal : RPC_CODES.invalidArgument);
  const bytes = encodeStatus(encoding, { code, message: body.error.message });
  res.type(CONTENT_TYPE_BY_ENCODING[encoding]).send(Buffer.from(bytes));
}

/** The last middleware. Express knows it by its four parameters. */
export function createErrorMiddleware(log: Logger): ErrorRequestHandler {
  return function respondToError(error: unknown, req: Request, res: Response, _next: unknown): void {
    const problem = toHttpError(error);
    const { status } = problem;
    const about = { method: req.method, path: req.path, status };
    if (error instanceof UpstreamError)
      log.warn({ ...about, code: error.code, reason: error.message }, 'store failed');
    else if (status >= 500) log.error({ ...about, err: error }, 'request failed');
    else log.debug({ ...about, err: error }, 'request refused');
    sendError(req, res, problem);
  };
}

/** Rejects unknown paths in the standard error format. */
export const rejectUnknownPath: RequestHandler = function refuseUnknownPath(req) {
  throw new UserError('NOT_FOUND', `There is no ${req.method} ${req.path.slice(0, 200)} here.`, {
    hint: 'GET /api/openapi.json lists what there is.',
  });
};
