// Receivers of notifications and their entries in the rules file. A receiver's address and token are secrets:
// they are read from the rules file or the environment, leave this module only in the request itself, and
// appear in no message. `redactUrl` returns what may be shown.

import { z } from 'zod';
import { RECEIVER_TYPES, type ReceiverType } from '../../../contract/alerts.ts';
import { UserError } from '../../../errors.ts';
import { textSchema } from '../text-schema.ts';

interface LocalReceiver {
  readonly name: string;
  readonly type: 'dashboard' | 'log';
}

export interface HttpReceiver {
  readonly name: string;
  readonly type: Exclude<ReceiverType, LocalReceiver['type']>;
  readonly url: URL;
  /** Sent as a bearer token. */
  readonly token: string | undefined;
}

export type Receiver = LocalReceiver | HttpReceiver;

/** What the body of a notification depends on besides the message. */
export interface BodyContext {
  /** Address of the dashboard, without a trailing slash. */
  readonly externalUrl: string;
  /** Name of the receiver. */
  readonly receiver: string;
}

/** They need no address, so they always exist. */
export const BUILT_IN_RECEIVERS: readonly LocalReceiver[] = [
  { name: 'dashboard', type: 'dashboard' },
  { name: 'log', type: 'log' },
];

export function isHttpReceiver(receiver: Receiver): receiver is HttpReceiver {
  return 'url' in receiver;
}

/** The origin only, because the path of a webhook is its password. */
export function redactUrl(receiver: Receiver): string | null {
  return isHttpReceiver(receiver) ? `${receiver.url.origin}/…` : null;
}

const URL_FORMAT = 'an http or https URL';
const TOKEN_FORMAT = '1 to 1024 printable ASCII characters without spaces';
const HttpReceiverType = z.enum(RECEIVER_TYPES).exclude(['dashboard', 'log']);
const variable = textSchema(/^[A-Za-z_]\w{0,127}$/, 'the name of an environment variable');

/** The rules file must not be able to send the service's own secrets to an address in it. */
const SERVICE_SECRETS: ReadonlySet<string> = new Set([
  'TOOLSCOPE_TOKEN',
  'TOOLSCOPE_INGEST_TOKEN',
  'TOOLSCOPE_FINGERPRINT_KEY',
  'CLICKHOUSE_URL',
  'CLICKHOUSE_PASSWORD',
]);

/** A file under version control can name a variable (`urlEnv`, `tokenEnv`) instead of the secret. */
export const ReceiverEntry = z.strictObject(
  {
    type: z.enum(HttpReceiverType.options, { error: `one of ${HttpReceiverType.options.join(', ')}` }),
    url: z.string({ error: URL_FORMAT }).optional(),
    urlEnv: variable.optional(),
    token: z.string({ error: TOKEN_FORMAT }).optional(),
    tokenEnv: variable.optional(),
  },
  { error: 'an object with type and url or urlEnv' },
);
type ReceiverEntry = z.infer<typeof ReceiverEntry>;

export type Environment = Readonly<Record<string, string | undefined>>;

interface ReceiverSource {
  readonly name: string;
  readonly entry: ReceiverEntry;
  readonly environment: Environment;
  /** Path of the rules file, for error messages. */
  readonly path: string;
}

/** @throws UserError INVALID_SETTING */
export function parseReceiver(source: ReceiverSource): HttpReceiver {
  const { name, entry } = source;
  if (!/^[a-z0-9-]{1,64}$/.test(name) || BUILT_IN_RECEIVERS.some((known) => known.name === name))
    throw createFieldError(
      source,
      'name',
      'is not allowed. Expected text of 1 to 64 of a-z, 0-9 and -, other than log and dashboard',
    );
  const text = readSecret(source, 'url');
  if (text === undefined)
    throw createFieldError(source, 'url', `is missing. Expected ${URL_FORMAT}, or urlEnv`);
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (!url || !['http:', 'https:'].includes(url.protocol))
    throw createFieldError(source, 'url', `is not allowed. Expected ${URL_FORMAT}`);
  const token = readSecret(source, 'token');
  if (token !== undefined && !/^[\x21-\x7e]{1,1024}$/.test(token))
    throw createFieldError(source, 'token', `is not allowed. Expected ${TOKEN_FORMAT}`);
  return { name, type: entry.type, url, token };
}

function readSecret(source: ReceiverSource, field: 'url' | 'token'): string | undefined {
  const { entry, environment } = source;
  const variableName = entry[`${field}Env`];
  if (variableName === undefined) return entry[field];
  const reject = (name: string, why: string): never => {
    throw createFieldError(source, name, why);
  };
  if (entry[field] !== undefined) reject(field, `is given twice. Expected ${field} or ${field}Env`);
  if (SERVICE_SECRETS.has(variableName.toUpperCase()))
    reject(`${field}Env`, `names ${variableName}, a secret of the service. Expected another variable`);
  return (
    environment[variableName] ||
    reject(`${field}Env`, `names ${variableName}, which is not set. Expected a variable with a value`)
  );
}

function createFieldError({ path, name }: ReceiverSource, field: string, why: string): UserError {
  const message = `${path}: receiver ${JSON.stringify(name)}, field "${field}" ${why}.`;
  return new UserError('INVALID_SETTING', message, { field });
}
