// How long the body of a request may take to arrive. Bodies of the API are a few kilobytes, so one that takes seconds is held
// back on purpose; the receiver of spans has its own pace, because a body of 64 MiB over a slow line takes its time. What is
// still being sent once its answer has gone out is read for a moment, so that the sender sees the answer, and then cut off.

import type { Request, RequestHandler, Response } from 'express';
import { UserError } from '../../errors.ts';

/** In milliseconds. */
export interface BodyTimes {
  readonly login: number;
  readonly others: number;
  /** For what is left of a body after the answer. */
  readonly afterAnswer: number;
}

const BODY_TIMES: BodyTimes = { login: 3_000, others: 10_000, afterAnswer: 5_000 };

/** Mounted before whatever reads bodies. */
export function createBodyTimeLimit(times: BodyTimes = BODY_TIMES): RequestHandler {
  return function limitBodyTime(req, res, next) {
    const { 'content-length': length = '0', 'transfer-encoding': encoding } = req.headers;
    if (length === '0' && encoding === undefined) return next();
    res.once('finish', () => cutLater(req, times.afterAnswer));
    if (/^\/v1\/traces\/?$/i.test(req.path)) return next();
    const isLogin = /^\/api\/v1\/login\/?$/i.test(req.path);
    const timer = setTimeout(() => refuse(req, res, next), isLogin ? times.login : times.others);
    timer.unref();
    for (const event of ['end', 'close']) req.once(event, () => clearTimeout(timer));
    next();
  };
}

/** Whoever waits for the body learns of its end by the connection's. */
function refuse(req: Request, res: Response, next: (error: unknown) => void): void {
  if (req.complete) return;
  res.once('finish', () => req.destroy());
  if (res.headersSent) return;
  res.set('Connection', 'close');
  next(new UserError('BODY_TOO_SLOW', 'The body of the request took too long to arrive.'));
}

function cutLater(req: Request, ms: number): void {
  if (req.complete) return;
  req.resume();
  const cut = setTimeout(() => req.complete || req.destroy(), ms);
  cut.unref();
  req.once('close', () => clearTimeout(cut));
}
