// Authorisation when tokens are set: the main token allows everything, the ingest token only sending spans,
// and a login cookie what a page needs. Only wrong tokens count as attempts, missing ones do not.

import type { RequestHandler } from 'express';
import { UserError } from '../../errors.ts';
import { isSecretEqual } from './is-secret-equal.ts';
import type { LoginAttemptLimit } from './login-attempt-limit.ts';
import { requireOriginOnWrite } from './origin-guard.ts';
import type { SessionCookies } from './session-cookie.ts';

export interface Tokens {
  /** Allows everything; undefined disables authentication. */
  readonly token: string | undefined;
  /** Good for `POST /v1/traces` and nothing else. */
  readonly ingestToken: string | undefined;
}

export interface TokenAuth extends Tokens {
  readonly cookies: SessionCookies | undefined;
  readonly attemptLimit: LoginAttemptLimit;
}

/**
 * Lets only requests pass that may send spans: with either token.
 *
 * @throws UserError UNAUTHORIZED or TOO_MANY_ATTEMPTS
 */
export function createIngestGuard(auth: TokenAuth): RequestHandler {
  return function checkSender(req, _res, next) {
    if (auth.token === undefined) return next();
    authenticateToken(req.socket.remoteAddress, findSenderToken(req.headers.authorization), auth);
    next();
  };
}

/**
 * Lets only requests pass that may read and change things: with the token, or with the cookie of a login.
 *
 * @throws UserError UNAUTHORIZED, FORBIDDEN or TOO_MANY_ATTEMPTS
 */
export function createTokenGuard(auth: TokenAuth): RequestHandler {
  return function checkToken(req, _res, next) {
    if (auth.token === undefined) return next();
    // First, so that a page stays logged in while another client at the same address guesses tokens.
    if (auth.cookies?.isValid(req)) {
      requireOriginOnWrite(req);
      return next();
    }
    if (
      authenticateToken(req.socket.remoteAddress, findBearerToken(req.headers.authorization), auth) ===
      'ingest'
    )
      throw createForbiddenError();
    next();
  };
}

/**
 * Compares a token with the configured ones. A correct one always passes, regardless of its address; too many
 * wrong ones are rate limited.
 *
 * @returns which token it is
 * @throws UserError UNAUTHORIZED or TOO_MANY_ATTEMPTS
 */
export function authenticateToken(
  address: string | undefined,
  candidate: string | undefined,
  auth: Pick<TokenAuth, 'token' | 'ingestToken' | 'attemptLimit'>,
): 'all' | 'ingest' {
  if (candidate === undefined) throw createUnauthorizedError();
  const { token, ingestToken, attemptLimit } = auth;
  // Both are compared, whatever the first says.
  const isAll = token !== undefined && isSecretEqual(candidate, token);
  const isIngest = ingestToken !== undefined && isSecretEqual(candidate, ingestToken);
  if (isAll) return 'all';
  if (isIngest) return 'ingest';
  const waitSeconds = attemptLimit.retryAfterSeconds(address);
  if (waitSeconds > 0) throw createTooManyAttemptsError(waitSeconds);
  attemptLimit.recordFailure(address);
  throw createUnauthorizedError();
}

function findBearerToken(authorization = ''): string | undefined {
  return /^Bearer +(\S+)$/i.exec(authorization)?.[1];
}

/**
 * The token that a sender of spans presents: as `Bearer`, or as the password of `Basic`, because exporters of
 * Langfuse send a public and a secret key in that form.
 */
export function findSenderToken(authorization = ''): string | undefined {
  const encoded = /^Basic +([\w+/=-]{1,2000})$/i.exec(authorization)?.[1];
  if (encoded === undefined) return findBearerToken(authorization);
  return /^[^:]*:(.+)$/s.exec(Buffer.from(encoded, 'base64').toString())?.[1];
}

function createUnauthorizedError(): UserError {
  return new UserError(
    'UNAUTHORIZED',
    'The token is missing or wrong. Expected "Authorization: Bearer <token>", or the cookie that a login gives.',
    { field: 'Authorization', hint: 'POST {"token": "…"} to /api/v1/login.' },
  );
}

export function createForbiddenError(): UserError {
  return new UserError('FORBIDDEN', 'This token may only send spans. Expected the one that may read.', {
    field: 'Authorization',
    hint: 'The value of TOOLSCOPE_TOKEN, not of TOOLSCOPE_INGEST_TOKEN.',
  });
}

function createTooManyAttemptsError(seconds: number): UserError {
  return new UserError('TOO_MANY_ATTEMPTS', `Too many wrong tokens. Try again in ${seconds} s.`, {
    field: 'Authorization',
    retryAfterSeconds: seconds,
  });
}
