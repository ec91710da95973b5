// Reads definitions for `lint` and `check`: from a server to start, a server URL, or a file. The raw listing
// is requested, because a validating client rejects exactly those definitions that deserve a finding.

import { readFile } from 'node:fs/promises';
import { z } from 'zod';
import { UserError } from '../../errors.ts';
import type { CommandContext, CommandOption, OptionValues } from '../command.ts';
import { readString } from '../parse-options.ts';
import { type ToolListing, toToolDefinitions } from './tool-listing.ts';

export const LISTING_OPTIONS: readonly CommandOption[] = [
  { flags: '--url <url>', description: 'URL of a server over Streamable HTTP, instead of a command.' },
  {
    flags: '--bearer-env <name>',
    description: 'With --url: the environment variable that contains its bearer token.',
  },
  {
    flags: '--file <path>',
    description: 'A JSON file with a listing: {"tools": [...]}, an array of tools, or a tools/list response.',
  },
];

/**
 * @param operands the command of a server and its arguments
 * @throws UserError when no source or several were given, or the source cannot be read
 */
export async function readListing(
  options: OptionValues,
  operands: readonly string[],
  { signal }: CommandContext,
): Promise<ToolListing> {
  const url = readString(options['url']);
  const file = readString(options['file']);
  const named = [url !== undefined, file !== undefined, operands.length > 0].filter(Boolean);
  if (named.length !== 1) {
    throw new UserError(
      'INVALID_PARAMETER',
      `${named.length === 0 ? 'No' : 'More than one'} source of tools is given.`,
      { hint: 'Give one: `-- <command> [arguments…]`, --url <url> or --file <path>.' },
    );
  }
  if (file !== undefined) return readListingFile(file);
  const { listFromServer } = await import('./list-from-server.ts');
  return listFromServer(
    url === undefined ? { operands } : { url, bearerEnv: readString(options['bearerEnv']) },
    signal,
  );
}

const Server = z.looseObject({ name: z.string().default(''), version: z.string().default('') });
const Listing = z.union([
  z.array(z.unknown()).transform((tools) => ({ tools, server: undefined })),
  z.looseObject({ tools: z.array(z.unknown()), server: Server.optional() }),
  z
    .looseObject({ result: z.looseObject({ tools: z.array(z.unknown()) }) })
    .transform(({ result }) => ({ tools: result.tools, server: undefined })),
]);

async function readListingFile(path: string): Promise<ToolListing> {
  const text = await readText(path);
  const parsed = Listing.safeParse(parseJson(text, path));
  if (!parsed.success) {
    throw new UserError('INVALID_BODY', `${path} is not a listing of tools.`, {
      field: 'file',
      hint: 'Expected {"tools": [...]}, an array of tools, or a tools/list response.',
    });
  }
  const { tools, server } = parsed.data;
  return {
    serverName: server?.name ?? '',
    serverVersion: server?.version ?? '',
    file: { path, text },
    tools: toToolDefinitions(tools),
    listed: tools,
  };
}

export async function readText(path: string): Promise<string> {
  try {
    return await readFile(path, 'utf8');
  } catch (cause) {
    throw new UserError('INVALID_PARAMETER', `The file ${path} cannot be read.`, { cause, field: 'file' });
  }
}

export function parseJson(text: string, path: string): unknown {
  try {
    return JSON.parse(text);
  } catch (cause) {
    throw new UserError('INVALID_BODY', `${path} is not JSON.`, { cause, field: 'file' });
  }
}
