// One entry of `receivers` in the rules file. A file that lies in git names a variable (`urlEnv`, `tokenEnv`) in place of
// the secret; no message of this file ever repeats a value.

import { z } from 'zod';
import { UserError } from '../../errors.ts';
import type { HttpReceiver } from './receiver.ts';

const URL_FORMAT = 'an http or https URL';
const VARIABLE_FORMAT = 'the name of an environment variable';
const variable = z
  .string({ error: VARIABLE_FORMAT })
  .regex(/^[A-Za-z_]\w{0,127}$/, { error: VARIABLE_FORMAT });
const TOKEN_FORMAT = '1 to 1024 printable ASCII characters without spaces';

/** The rules file must not be able to send the service's own secrets to an address in it. */
const SERVICE_SECRETS: ReadonlySet<string> = new Set([
  'TOOLSCOPE_TOKEN',
  'TOOLSCOPE_INGEST_TOKEN',
  'TOOLSCOPE_FINGERPRINT_KEY',
  'CLICKHOUSE_URL',
  'CLICKHOUSE_PASSWORD',
]);

export const ReceiverEntry = z.strictObject(
  {
    type: z.enum(['webhook', 'slack'], { error: 'one of webhook, slack' }),
    url: z.string({ error: URL_FORMAT }).optional(),
    urlEnv: variable.optional(),
    token: z.string({ error: TOKEN_FORMAT }).optional(),
    tokenEnv: variable.optional(),
  },
  { error: 'an object with type and url or urlEnv' },
);
export type ReceiverEntry = z.infer<typeof ReceiverEntry>;

interface ReceiverSource {
  readonly name: string;
  readonly entry: ReceiverEntry;
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** Of the file, for messages. */
  readonly path: string;
}

/** @throws UserError INVALID_SETTING */
export function parseReceiver({ name, entry, environment, path }: ReceiverSource): HttpReceiver {
  const createFieldError = (field: string, why: string): UserError =>
    new UserError('INVALID_SETTING', `${path}: receiver ${JSON.stringify(name)}, field "${field}" ${why}.`, {
      field,
    });
  if (!/^[a-z0-9-]{1,64}$/.test(name) || name === 'log' || name === 'dashboard') {
    throw createFieldError(
      'name',
      'is not allowed. Expected text of 1 to 64 of a-z, 0-9 and -, other than log and dashboard',
    );
  }
  const read = (field: 'url' | 'token'): string | undefined => {
    const from = entry[`${field}Env`];
    if (from === undefined) return entry[field];
    if (entry[field] !== undefined)
      throw createFieldError(field, `is given twice. Expected ${field} or ${field}Env`);
    if (SERVICE_SECRETS.has(from.toUpperCase()))
      throw createFieldError(
        `${field}Env`,
        `names ${from}, a secret of the service. Expected another variable`,
      );
    const value = environment[from] || undefined;
    if (value === undefined)
      throw createFieldError(
        `${field}Env`,
        `names ${from}, which is not set. Expected a variable with a value`,
      );
    return value;
  };
  const text = read('url');
  if (text === undefined) throw createFieldError('url', `is missing. Expected ${URL_FORMAT}, or urlEnv`);
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (!url || !['http:', 'https:'].includes(url.protocol))
    throw createFieldError('url', `is not allowed. Expected ${URL_FORMAT}`);
  const token = read('token');
  if (token !== undefined && !/^[\x21-\x7e]{1,1024}$/.test(token))
    throw createFieldError('token', `is not allowed. Expected ${TOKEN_FORMAT}`);
  return { name, type: entry.type, url, token };
}
