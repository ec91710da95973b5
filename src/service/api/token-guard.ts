// Who may do what when a token is set: the one token opens everything, the other only takes spans, and the cookie of a
// login opens what a page needs. Wrong tokens are counted, missing ones are not: nobody guesses by sending nothing.

import type { Request, RequestHandler } from 'express';
import { UserError } from '../../errors.ts';
import type { FailureLimit } from './failure-limit.ts';
import { checkPageOrigin } from './same-machine.ts';
import { isSameText } from './same-text.ts';
import type { SessionCookies } from './session-cookie.ts';

export interface Tokens {
  /** Opens everything; undefined when nothing is asked for. */
  readonly token: string | undefined;
  /** Good for `POST /v1/traces` and nothing else. */
  readonly ingestToken: string | undefined;
}

export interface Keepers extends Tokens {
  readonly cookies: SessionCookies | undefined;
  readonly failures: FailureLimit;
}

/**
 * Lets only requests pass that may send spans: with either token.
 *
 * @throws UserError UNAUTHORIZED or TOO_MANY_ATTEMPTS
 */
export function createIngestGuard(keepers: Keepers): RequestHandler {
  return function checkSender(req, _res, next) {
    if (keepers.token === undefined) return next();
    checkBearer(req, keepers);
    next();
  };
}

/**
 * Lets only requests pass that may read and change things: with the token, or with the cookie of a login.
 *
 * @throws UserError UNAUTHORIZED, FORBIDDEN or TOO_MANY_ATTEMPTS
 */
export function createTokenGuard(keepers: Keepers): RequestHandler {
  return function checkToken(req, _res, next) {
    if (keepers.token === undefined) return next();
    // First, so that a page stays open while somebody behind the same address guesses.
    if (keepers.cookies?.isValid(req)) {
      checkPageOrigin(req);
      return next();
    }
    if (checkBearer(req, keepers) === 'ingest') throw forbidden();
    next();
  };
}

/**
 * Compares a token with those that are set. A right one always passes, whatever else came from its address; of wrong ones too
 * many are told to wait.
 *
 * @returns which one it is
 * @throws UserError UNAUTHORIZED or TOO_MANY_ATTEMPTS
 */
export function checkGivenToken(req: Request, given: string, keepers: Keepers): 'all' | 'ingest' {
  const { token, ingestToken, failures } = keepers;
  // Both are compared, whatever the first says.
  const isAll = token !== undefined && isSameText(given, token);
  const isIngest = ingestToken !== undefined && isSameText(given, ingestToken);
  if (isAll) return 'all';
  if (isIngest) return 'ingest';
  const address = req.socket.remoteAddress;
  const waitSeconds = failures.waitSeconds(address);
  if (waitSeconds > 0) throw tooManyAttempts(waitSeconds);
  failures.noteFailure(address);
  throw unauthorized();
}

function checkBearer(req: Request, keepers: Keepers): 'all' | 'ingest' {
  const given = /^Bearer +(\S+)$/i.exec(req.headers.authorization ?? '')?.[1];
  if (given === undefined) throw unauthorized();
  return checkGivenToken(req, given, keepers);
}

function unauthorized(): UserError {
  return new UserError(
    'UNAUTHORIZED',
    'The token is missing or wrong. Expected "Authorization: Bearer <token>", or the cookie that a login gives.',
    { field: 'Authorization', hint: 'POST {"token": "…"} to /api/v1/login.' },
  );
}

export function forbidden(): UserError {
  return new UserError('FORBIDDEN', 'This token may only send spans. Expected the one that may read.', {
    field: 'Authorization',
    hint: 'The value of TOOLSCOPE_TOKEN, not of TOOLSCOPE_INGEST_TOKEN.',
  });
}

function tooManyAttempts(seconds: number): UserError {
  return new UserError('TOO_MANY_ATTEMPTS', `Too many wrong tokens. Try again in ${seconds} s.`, {
    field: 'Authorization',
    retryAfterSeconds: seconds,
  });
}
