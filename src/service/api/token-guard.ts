// Who may read when a token is set: whoever sends it as a bearer token, or carries the cookie that the login gave.
// The cookie holds a hash keyed with the token, never the token, so a leaked cookie is not a leaked token.

import { createHash, createHmac, timingSafeEqual } from 'node:crypto';
import { json, type Request, type RequestHandler, Router } from 'express';
import { z } from 'zod';
import { UserError } from '../../errors.ts';

const COOKIE = 'toolscope_session';
const COOKIE_SECONDS = 30 * 86_400;

/** Body of `POST /api/v1/login`. */
export const LoginBody = z.strictObject({ token: z.string().min(1).max(1024) });

/**
 * Lets only requests with the token pass.
 *
 * @param token the token, or undefined when none is set and everybody may pass
 */
export function createTokenGuard(token: string | undefined): RequestHandler {
  if (token === undefined) return (_req, _res, next) => next();
  const cookie = toCookie(token);
  return function checkToken(req, _res, next) {
    if (isSame(bearerOf(req), token) || isSame(cookieOf(req), cookie)) return next();
    throw unauthorized();
  };
}

/** `POST /api/v1/login`: the token of the body becomes a cookie that no script can read. */
export function createLoginRouter(token: string | undefined): Router {
  const router = Router();
  router.post('/api/v1/login', json({ limit: '4kb' }), function logIn(req, res) {
    const body = LoginBody.safeParse(req.body);
    if (!body.success) {
      throw new UserError('INVALID_BODY', 'The body is not {"token": "…"}. Expected it as JSON.', {
        field: 'token',
      });
    }
    if (token !== undefined) {
      if (!isSame(body.data.token, token)) throw unauthorized();
      const attributes = `Path=/; Max-Age=${COOKIE_SECONDS}; HttpOnly; SameSite=Strict`;
      res.set('Set-Cookie', `${COOKIE}=${toCookie(token)}; ${attributes}`);
    }
    res.set('Cache-Control', 'no-store').status(204).end();
  });
  return router;
}

function unauthorized(): UserError {
  return new UserError(
    'UNAUTHORIZED',
    'The token is missing or wrong. Expected "Authorization: Bearer <token>", or the cookie that a login gives.',
    { field: 'Authorization', hint: 'POST {"token": "…"} to /api/v1/login.' },
  );
}

function toCookie(token: string): string {
  return createHmac('sha256', token).update('toolscope session cookie').digest('hex');
}

function bearerOf(req: Request): string {
  return /^Bearer +(\S+)$/i.exec(req.headers.authorization ?? '')?.[1] ?? '';
}

function cookieOf(req: Request): string {
  const pairs = (req.headers.cookie ?? '').split(';').map((pair) => pair.trim().split('='));
  return pairs.find(([name]) => name === COOKIE)?.[1] ?? '';
}

/** In a time that depends on neither text; the hashes only make the lengths equal. */
function isSame(given: string, expected: string): boolean {
  const digest = (text: string) => createHash('sha256').update(text).digest();
  return timingSafeEqual(digest(given), digest(expected));
}
