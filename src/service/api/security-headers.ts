// What a browser may do with our pages: load from here, talk to here, be framed by nobody. No HSTS and no upgrade of
// insecure requests: the service speaks plain HTTP on loopback, and either would lock the user out.

import type { RequestHandler } from 'express';
import helmet from 'helmet';

export function createSecurityHeaders(): RequestHandler {
  return helmet({
    strictTransportSecurity: false,
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
