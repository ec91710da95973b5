// Parses the flags of `toolscope wrap --url`.

import type { CaptureMode } from '../../core/model/tool-call.ts';
import { UserError } from '../../errors.ts';
import { createOptionError } from '../parse-options.ts';

export const URL_FLAGS = {
  url: { type: 'string' },
  listen: { type: 'string' },
  'allowed-hosts': { type: 'string' },
} as const;

type UrlValues = Readonly<Partial<Record<keyof typeof URL_FLAGS, string | undefined>>>;

export interface WrapUrlOptions {
  readonly url: URL;
  readonly host: string;
  /** 0 chooses a free one. */
  readonly port: number;
  /** Lower case. */
  readonly allowedHosts: readonly string[];
  readonly name: string | undefined;
  readonly env: string | undefined;
  readonly capture: CaptureMode | undefined;
  readonly endpoint: string | undefined;
}

/**
 * Undefined without `--url`.
 * @throws UserError when an option is invalid, or has no effect without `--url`
 */
export function parseUrlFlags(
  values: UrlValues,
): Pick<WrapUrlOptions, 'url' | 'host' | 'port' | 'allowedHosts'> | undefined {
  const { url, listen, 'allowed-hosts': allowed } = values;
  if (url !== undefined)
    return { url: parseServerUrl(url), ...parseListen(listen), allowedHosts: parseHostNames(allowed) };
  if (listen === undefined && allowed === undefined) return undefined;
  const flag = listen === undefined ? 'allowed-hosts' : 'listen';
  throw new UserError('INVALID_PARAMETER', `--${flag} has no effect without --url.`, {
    field: flag,
    hint: 'toolscope wrap --url http://127.0.0.1:3000/mcp --listen 127.0.0.1:3001',
  });
}

function parseServerUrl(given: string): URL {
  const url = URL.canParse(given) ? new URL(given) : undefined;
  const isHttp = url?.protocol === 'http:' || url?.protocol === 'https:';
  // A password in the address would be printed; clients send their credentials themselves.
  if (url === undefined || !isHttp || url.username !== '' || url.password !== '')
    throw createOptionError('url', `"${given}"`, 'an http or https URL without a user name');
  return url;
}

/** `127.0.0.1:3001`, `[::1]:3001`, or only a port. */
function parseListen(given = '127.0.0.1:0'): { readonly host: string; readonly port: number } {
  const match = /^(?:(?:\[([^\]]+)\]|([^:]+)):)?(\d{1,5})$/.exec(given);
  const port = Number(match?.[3] ?? Number.NaN);
  if (!(port <= 65_535)) throw createOptionError('listen', `"${given}"`, 'an address such as 127.0.0.1:3001');
  return { host: match?.[1] ?? match?.[2] ?? '127.0.0.1', port };
}

function parseHostNames(given = ''): readonly string[] {
  return given.split(',').flatMap((name) => name.trim().toLowerCase() || []);
}
