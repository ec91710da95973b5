// Serves the dashboard's files. Its pages are client-side routes, so every path that could be a page returns
// index.html, but file and API paths do not, because a missing script must not be served as HTML.

import { join } from 'node:path';
import express, { type RequestHandler, Router } from 'express';
import { UserError } from '../../errors.ts';

/** File names under it carry a hash of their content. */
const ASSETS_PATH = '/assets/';

export function createStaticRouter(directory: string): Router {
  const router = Router();
  router.use(
    express.static(directory, {
      index: false,
      redirect: false,
      setHeaders(res, path) {
        const hashed = path.includes(ASSETS_PATH);
        res.setHeader('Cache-Control', hashed ? 'public, max-age=31536000, immutable' : 'no-cache');
      },
    }),
  );
  router.get('/{*page}', createPageHandler(join(directory, 'index.html')));
  return router;
}

function createPageHandler(index: string): RequestHandler {
  return function sendIndex(req, res, next) {
    if (!isPage(req.path) || !req.accepts('html')) return next();
    res.set('Cache-Control', 'no-cache');
    res.sendFile(index, { cacheControl: false }, (error) => {
      if (error === undefined) return;
      next(new UserError('NOT_FOUND', 'The dashboard has not been built. Run "npm run build".'));
    });
  };
}

/** The name of a tool or session may hold a dot; a file at the root has one and nothing else. */
function isPage(path: string): boolean {
  const isFile = path.toLowerCase().startsWith(ASSETS_PATH) || /^\/[^/]*\.[^/]*$/.test(path);
  return !isFile && !/^\/(?:api|v1|metrics|healthz|readyz)(?:\/|$)/i.test(path);
}
