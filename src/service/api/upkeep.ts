// `/api/v1/purge` and `/api/v1/backup`: what changes or copies everything. Where no token is set, an open loopback port is no
// proof of anything, so whoever asks shows the key that lies in the data directory.

import { json, type Request, type RequestHandler, Router } from 'express';
import { BackupAnswer, BackupBody, PurgeBody, PurgeReceipt } from '../../contract/upkeep.ts';
import { UserError } from '../../errors.ts';
import { readJsonBody } from './read-json-body.ts';
import { isSameText } from './same-text.ts';

/** What the API asks of upkeep. */
export interface UpkeepPort {
  /** Throws UserError INVALID_BODY, UpstreamError. */
  purge(body: PurgeBody): Promise<PurgeReceipt>;
  /** Throws UserError INVALID_BODY, UpstreamError. */
  backup(body: BackupBody): Promise<BackupAnswer>;
}

export interface UpkeepContext {
  /** Throws UpstreamError NOT_READY while there is nobody to ask. */
  readonly upkeep: () => UpkeepPort;
  readonly token: string | undefined;
  /** What the header `X-Toolscope-Control` must hold where no token is set. */
  readonly controlKey: string;
}

/** The OpenAPI document is made from it too. */
export const UPKEEP_ACTIONS = {
  purge: {
    method: 'post',
    path: '/api/v1/purge',
    name: 'purge',
    summary: 'Counts, or takes away for good, a session, a user, or everything before an instant.',
    body: PurgeBody,
    status: 200,
    answer: PurgeReceipt,
  },
  backup: {
    method: 'post',
    path: '/api/v1/backup',
    name: 'backup',
    summary: 'Copies the store and what waits for it to a directory of the service’s machine.',
    body: BackupBody,
    status: 200,
    answer: BackupAnswer,
  },
} as const;

export function createUpkeepRouter({ upkeep, token, controlKey }: UpkeepContext): Router {
  const router = Router();
  const { purge, backup } = UPKEEP_ACTIONS;
  const guard = createControlGuard({ token, controlKey });
  const body = json({ limit: '16kb' });
  router.post(purge.path, guard, body, async function answerPurge(req, res) {
    const receipt = await upkeep().purge(readJsonBody(PurgeBody, req.body));
    res.set('Cache-Control', 'no-store').json(receipt);
  });
  router.post(backup.path, guard, body, async function answerBackup(req, res) {
    const answer = await upkeep().backup(readJsonBody(BackupBody, req.body));
    res.set('Cache-Control', 'no-store').json(answer);
  });
  return router;
}

/** A token that is set has been asked for before this. */
function createControlGuard({ token, controlKey }: Omit<UpkeepContext, 'upkeep'>): RequestHandler {
  return function checkControl(req, _res, next) {
    if (token !== undefined || isSameText(controlOf(req), controlKey)) return next();
    throw new UserError('FORBIDDEN', 'The key of the data directory is missing or wrong.', {
      field: 'X-Toolscope-Control',
      hint: 'Run toolscope purge or toolscope backup as the user who started the service.',
    });
  };
}

function controlOf(req: Request): string {
  return String(req.headers['x-toolscope-control'] ?? '');
}
