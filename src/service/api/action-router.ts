// The routes of the registry's actions. The token guard runs before them. Purge and backup also need the key
// from the data directory when no token is set, because an open loopback port proves nothing.

import { json, type RequestHandler, Router } from 'express';
import { ACTIONS, type Action, type ActionName, API_PATH } from '../../contract/resources.ts';
import { UserError } from '../../errors.ts';
import { isSecretEqual } from './is-secret-equal.ts';
import { parseJsonBody } from './parse-json-body.ts';
import type { RouterContext } from './resource-router.ts';
import type { Tokens } from './token-guard.ts';

export interface ControlAccess extends Pick<Tokens, 'token'> {
  /** Expected in the header `X-Toolscope-Control` when no token is set. */
  readonly controlKey: string;
}

export function createActionRouter({
  handlers,
  ...access
}: Pick<RouterContext, 'handlers'> & ControlAccess): Router {
  const router = Router();
  const guard = createControlGuard(access);
  for (const [name, { method, path, body, status, needsControlKey }] of Object.entries<Action>(ACTIONS)) {
    const before = [...(needsControlKey ? [guard] : []), ...(body ? [json({ limit: '16kb' })] : [])];
    router[method](API_PATH + path, ...before, async function runAction(req, res) {
      // `Handlers` pairs every name with the type of the body that its schema parses.
      const handler = handlers()[name as ActionName] as (request: object) => Promise<unknown>;
      const parsed = body ? parseJsonBody(body, req.body) : {};
      const response = await handler({ ...parsed, ...req.params });
      res.status(status).set('Cache-Control', 'no-store');
      if (response === undefined) res.end();
      else res.json(response);
    });
  }
  return router;
}

/** If a token is set, the token guard has checked it before. */
function createControlGuard({ token, controlKey }: ControlAccess): RequestHandler {
  return function checkControl(req, _res, next) {
    const given = String(req.headers['x-toolscope-control'] ?? '');
    if (token !== undefined || isSecretEqual(given, controlKey)) return next();
    throw new UserError('FORBIDDEN', 'The key of the data directory is missing or wrong.', {
      field: 'X-Toolscope-Control',
      hint: 'Run toolscope purge or toolscope backup as the user who started the service.',
    });
  };
}
