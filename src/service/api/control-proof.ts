// Proves to a command that the service holds the key of the data directory, before the command sends any
// secret: a process that took over the port of a killed service has no key. The proof covers a nonce of each
// side, which prevents replay, and the port, which prevents relaying from another service.

import { createHmac, randomBytes } from 'node:crypto';
import { Router } from 'express';
import { z } from 'zod';
import { UserError } from '../../errors.ts';
import { isSecretEqual } from './is-secret-equal.ts';

export const PROOF_PATH = '/api/v1/control';

export const ProofResponse = z.object({ nonce: z.string(), proof: z.string() });
export type ProofResponse = z.infer<typeof ProofResponse>;

/** At least 128 bits as base64url. */
const NONCE_PATTERN = /^[\w-]{22,128}$/;

interface ProofInput {
  /** What the command has sent. */
  readonly challenge: string;
  /** Of the service. */
  readonly nonce: string;
  /** At which the command has reached the service. */
  readonly port: number;
}

/** \n@returns an unguessable nonce */
export function createNonce(): string {
  return randomBytes(24).toString('base64url');
}

/** `GET /api/v1/control?challenge=…`; needs no token, because the command may not send one yet. */
export function createProofRouter(controlKey: string): Router {
  const router = Router();
  router.get(PROOF_PATH, function proveControl(req, res) {
    const { challenge } = req.query;
    if (typeof challenge !== 'string' || !NONCE_PATTERN.test(challenge)) {
      throw new UserError('INVALID_PARAMETER', 'Expected challenge as 22 to 128 characters of base64url.', {
        field: 'challenge',
      });
    }
    const nonce = createNonce();
    const proof = computeProof(controlKey, { challenge, nonce, port: req.socket.localPort ?? 0 });
    res.set('Cache-Control', 'no-store').json({ nonce, proof } satisfies ProofResponse);
  });
  return router;
}

/** Whether an answer to a challenge shows that its sender holds the key. */
export function isValidProof(
  response: unknown,
  { key, challenge, port }: { readonly key: string } & Pick<ProofInput, 'challenge' | 'port'>,
): boolean {
  const parsed = ProofResponse.safeParse(response);
  if (!parsed.success || !NONCE_PATTERN.test(parsed.data.nonce)) return false;
  const { nonce, proof } = parsed.data;
  return isSecretEqual(proof, computeProof(key, { challenge, nonce, port }));
}

function computeProof(key: string, { challenge, nonce, port }: ProofInput): string {
  const text = ['toolscope control', challenge, nonce, port].join('\n');
  return createHmac('sha256', key).update(text).digest('base64url');
}
