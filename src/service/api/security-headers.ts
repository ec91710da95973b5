// What a browser may do with the dashboard's pages: load and request from this origin, and never frame them. No HSTS and no upgrade of
// insecure requests: the service speaks plain HTTP, and either would lock the user out. What a browser heeds only on a
// trustworthy origin is sent only there; elsewhere, on a plain network, it would complain of it on every page.

import { isIP } from 'node:net';
import type { Request, RequestHandler } from 'express';
import helmet from 'helmet';

export function createSecurityHeaders(): RequestHandler {
  const plain = createHelmet(false);
  const trustworthy = createHelmet(true);
  return (req, res, next) => (isTrustworthy(req) ? trustworthy : plain)(req, res, next);
}

function createHelmet(isTrusted: boolean): RequestHandler {
  return helmet({
    strictTransportSecurity: false,
    crossOriginOpenerPolicy: isTrusted,
    originAgentCluster: isTrusted,
    referrerPolicy: { policy: 'no-referrer' },
    contentSecurityPolicy: {
      useDefaults: false,
      directives: {
        defaultSrc: ["'none'"],
        scriptSrc: ["'self'"],
        styleSrc: ["'self'"],
        imgSrc: ["'self'"],
        fontSrc: ["'self'"],
        connectSrc: ["'self'"],
        manifestSrc: ["'self'"],
        baseUri: ["'none'"],
        formAction: ["'self'"],
        frameAncestors: ["'none'"],
      },
    },
  });
}

/** Loopback, or behind a proxy that took TLS off (W3C Secure Contexts, 3.1). */
function isTrustworthy({ headers }: Request): boolean {
  const proto = String(headers['x-forwarded-proto'] ?? '')
    .split(',', 1)[0]
    ?.trim();
  if (proto === 'https') return true;
  const host = /^(?:\[(.*)\]|([^:]*))(?::\d+)?$/.exec((headers.host ?? '').toLowerCase());
  const name = host?.[1] ?? host?.[2] ?? '';
  return /(?:^|\.)localhost$/.test(name) || name === '::1' || (isIP(name) === 4 && name.startsWith('127.'));
}
