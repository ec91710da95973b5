// Protects a loopback service against pages open in the user's browser. DNS rebinding: a page's own name
// resolves to 127.0.0.1, and the Host header carries that name. Cross-site requests: a page of another origin
// sends a form or loads an image, which shows in Origin or Sec-Fetch-Site.

import { isIP } from 'node:net';
import type { Request, RequestHandler } from 'express';
import { isLoopbackName, readHostName } from '../../core/values/host-name.ts';
import { UserError } from '../../errors.ts';

/**
 * Refuses requests for unknown hosts.
 *
 * @param names lower-case host names in addition to loopback ones; IP addresses cannot be rebound and are
 * always accepted
 */
export function createHostGuard(names: readonly string[]): RequestHandler {
  const allowed = new Set(names.map((name) => name.toLowerCase()));
  return function checkHost(req, _res, next) {
    const host = readHostName(req);
    if (allowed.has(host) || isLoopbackName(host) || isIP(host) !== 0) return next();
    throw new UserError(
      'HOST_REFUSED',
      `This service does not answer for the host ${JSON.stringify(host.slice(0, 100))}. ` +
        'Expected a loopback name, an IP address, or a name in TOOLSCOPE_ALLOWED_HOSTS.',
      { field: 'Host' },
    );
  };
}

/**
 * Refuses all requests from pages of other origins, including reads: they could not see the response, but
 * could measure its time and load the store. Programs send none of these headers. Navigation by a link is
 * allowed.
 */
export const checkOrigin: RequestHandler = function checkOrigin(req, _res, next) {
  const isRead = ['GET', 'HEAD', 'OPTIONS'].includes(req.method);
  if ((isRead && req.headers['sec-fetch-mode'] === 'navigate') || isSameOrigin(req)) return next();
  throw createOriginError();
};

/** What a cookie pays for has to come from our own page for certain; every browser says so when it changes something. */
export function requireOriginOnWrite(req: Request): void {
  const { origin } = req.headers;
  const isRead = ['GET', 'HEAD', 'OPTIONS'].includes(req.method);
  if (!isRead && origin === undefined && req.headers['sec-fetch-site'] === undefined)
    throw createOriginError();
}

/** Scheme aside, because a proxy may have taken TLS off. */
function isSameOrigin(req: Request): boolean {
  const { origin, host } = req.headers;
  const site = req.headers['sec-fetch-site'];
  if (site !== undefined && site !== 'same-origin' && site !== 'none') return false;
  if (origin === undefined) return true;
  return URL.canParse(origin) && new URL(origin).host === host;
}

function createOriginError(): UserError {
  return new UserError(
    'ORIGIN_REFUSED',
    'A page of another origin may not send this. Expected this page or a program.',
    { field: 'Origin' },
  );
}
