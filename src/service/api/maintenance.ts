// `/api/v1/purge` and `/api/v1/backup`: routes that change or copy all data. Without a token, an open
// loopback port proves nothing, so the client must present the key from the data directory.

import { json, type Request, type RequestHandler, Router } from 'express';
import { BackupBody, BackupResponse, PurgeBody, PurgeReceipt } from '../../contract/maintenance.ts';
import { UserError } from '../../errors.ts';
import { isSecretEqual } from './is-secret-equal.ts';
import { parseJsonBody } from './parse-json-body.ts';

/** What the API asks of upkeep. */
export interface MaintenanceService {
  /** Throws UserError INVALID_BODY, UpstreamError. */
  purge(body: PurgeBody): Promise<PurgeReceipt>;
  /** Throws UserError INVALID_BODY, UpstreamError. */
  backup(body: BackupBody): Promise<BackupResponse>;
}

export interface MaintenanceContext {
  /** Throws UpstreamError NOT_READY until the service is ready. */
  readonly maintenance: () => MaintenanceService;
  readonly token: string | undefined;
  /** What the header `X-Toolscope-Control` must hold where no token is set. */
  readonly controlKey: string;
}

/** The OpenAPI document is made from it too. */
export const MAINTENANCE_ACTIONS = {
  purge: {
    method: 'post',
    path: '/api/v1/purge',
    name: 'purge',
    summary: 'Counts, or takes away for good, a session, a user, or everything before an instant.',
    body: PurgeBody,
    status: 200,
    responseSchema: PurgeReceipt,
  },
  backup: {
    method: 'post',
    path: '/api/v1/backup',
    name: 'backup',
    summary: 'Copies the store and what waits for it to a directory of the service’s machine.',
    body: BackupBody,
    status: 200,
    responseSchema: BackupResponse,
  },
} as const;

export function createMaintenanceRouter({ maintenance, token, controlKey }: MaintenanceContext): Router {
  const router = Router();
  const { purge, backup } = MAINTENANCE_ACTIONS;
  const guard = createControlGuard({ token, controlKey });
  const body = json({ limit: '16kb' });
  router.post(purge.path, guard, body, async function postPurge(req, res) {
    const receipt = await maintenance().purge(parseJsonBody(PurgeBody, req.body));
    res.set('Cache-Control', 'no-store').json(receipt);
  });
  router.post(backup.path, guard, body, async function postBackup(req, res) {
    const answer = await maintenance().backup(parseJsonBody(BackupBody, req.body));
    res.set('Cache-Control', 'no-store').json(answer);
  });
  return router;
}

/** If a token is set, the token guard has checked it before. */
function createControlGuard({ token, controlKey }: Omit<MaintenanceContext, 'maintenance'>): RequestHandler {
  return function checkControl(req, _res, next) {
    if (token !== undefined || isSecretEqual(readControlKey(req), controlKey)) return next();
    throw new UserError('FORBIDDEN', 'The key of the data directory is missing or wrong.', {
      field: 'X-Toolscope-Control',
      hint: 'Run toolscope purge or toolscope backup as the user who started the service.',
    });
  };
}

function readControlKey(req: Request): string {
  return String(req.headers['x-toolscope-control'] ?? '');
}
