// Limits how long a request body may take to arrive. API bodies are a few kilobytes, so one that takes
// seconds is held back on purpose; the span receiver has its own minimum rate, because 64 MiB over a slow
// connection takes time. A body still being sent after the response is drained briefly, so that the sender
// sees the response, and is then cut off.

import type { Request, RequestHandler, Response } from 'express';
import { UserError } from '../../errors.ts';

/** In milliseconds. */
export interface BodyTimeouts {
  readonly loginMs: number;
  readonly otherMs: number;
  /** For what is left of a body after the answer. */
  readonly afterResponseMs: number;
}

const BODY_TIMEOUTS: BodyTimeouts = { loginMs: 3_000, otherMs: 10_000, afterResponseMs: 5_000 };

/** Mounted before whatever reads bodies. */
export function createBodyTimeout(times: BodyTimeouts = BODY_TIMEOUTS): RequestHandler {
  return function limitBodyTime(req, res, next) {
    const { 'content-length': length = '0', 'transfer-encoding': encoding } = req.headers;
    if (length === '0' && encoding === undefined) return next();
    res.once('finish', () => destroyAfter(req, times.afterResponseMs));
    if (/^\/v1\/traces\/?$/i.test(req.path)) return next();
    const isLogin = /^\/api\/v1\/login\/?$/i.test(req.path);
    const timer = setTimeout(() => rejectSlowBody(req, res, next), isLogin ? times.loginMs : times.otherMs);
    timer.unref();
    for (const event of ['end', 'close']) req.once(event, () => clearTimeout(timer));
    next();
  };
}

/** Readers of the body see the connection close. */
function rejectSlowBody(req: Request, res: Response, next: (error: unknown) => void): void {
  if (req.complete) return;
  res.once('finish', () => req.destroy());
  if (res.headersSent) return;
  res.set('Connection', 'close');
  next(new UserError('BODY_TOO_SLOW', 'The body of the request took too long to arrive.'));
}

function destroyAfter(req: Request, ms: number): void {
  if (req.complete) return;
  req.resume();
  const timer = setTimeout(() => req.complete || req.destroy(), ms);
  timer.unref();
  req.once('close', () => clearTimeout(timer));
}
