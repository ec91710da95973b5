// Lists the tools of a running server of either protocol era. The telemetry of a server that is started for
// it is disabled, so that a check in CI does not count as traffic.

import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { z } from 'zod';
import { UserError } from '../../errors.ts';
import { readPackageVersion } from '../../service/config/package-version.ts';
import { withoutToolscopeVariables } from '../child-environment.ts';
import { createOptionError } from '../parse-options.ts';
import { type ToolListing, toToolDefinitions } from './tool-listing.ts';

/** Timeout for the handshake and for each page; servers behind `npx` install themselves first. */
const ANSWER_TIMEOUT_MS = 60_000;
/** Servers of the older era may not respond to the probe for the newer one at all. */
const PROBE_TIMEOUT_MS = 10_000;
/** Limit of pages in one listing; a server that exceeds it has an endless cursor. */
const MAX_PAGES = 1_000;
/** Length of the stderr tail that is shown when a server fails. */
const MAX_STDERR_CHARS = 4_000;

interface HttpAddress {
  readonly url: string;
  /** Name of the environment variable that contains a bearer token. */
  readonly bearerEnv: string | undefined;
}

export type ServerAddress = HttpAddress | { readonly operands: readonly string[] };

const Page = z.looseObject({ tools: z.array(z.unknown()), nextCursor: z.string().optional() });

/** @throws UserError MCP_SERVER_FAILED with the end of the server's stderr */
export async function listFromServer(address: ServerAddress, signal: AbortSignal): Promise<ToolListing> {
  const { transport, readStderrTail } =
    'url' in address ? createHttpClientTransport(address) : createStdioClientTransport(address.operands);
  const client = new Client(
    { name: 'toolscope-lint', version: readPackageVersion() },
    { versionNegotiation: { mode: 'auto', probe: { timeoutMs: PROBE_TIMEOUT_MS } } },
  );
  try {
    await client.connect(transport, { timeout: ANSWER_TIMEOUT_MS, signal });
    const tools = await listPages(client, signal);
    const { name = '', version = '' } = client.getServerVersion() ?? {};
    return { serverName: name, serverVersion: version, tools: toToolDefinitions(tools), listed: tools };
  } catch (cause) {
    throw toUserError(cause, readStderrTail());
  } finally {
    await client.close();
  }
}

async function listPages(client: Client, signal: AbortSignal): Promise<unknown[]> {
  const tools: unknown[] = [];
  let cursor: string | undefined;
  for (let page = 0; page < MAX_PAGES; page++) {
    const params = cursor === undefined ? {} : { cursor };
    const options = { timeout: ANSWER_TIMEOUT_MS, signal };
    const answer = await client.request({ method: 'tools/list', params }, Page, options);
    tools.push(...answer.tools);
    if (answer.nextCursor === undefined || answer.nextCursor === '') return tools;
    cursor = answer.nextCursor;
  }
  throw new UserError('MCP_SERVER_FAILED', `The listing did not end after ${MAX_PAGES} pages.`);
}

interface OpenTransport {
  readonly transport: StdioClientTransport | StreamableHTTPClientTransport;
  readonly readStderrTail: () => string;
}

function createHttpClientTransport({ url, bearerEnv }: HttpAddress): OpenTransport {
  if (!URL.canParse(url) || !/^https?:$/.test(new URL(url).protocol)) {
    throw createOptionError('url', `"${url}"`, 'an http or https URL');
  }
  // biome-ignore lint/style/noProcessEnv: the user chooses the variable name, so the settings cannot contain it
  const token = bearerEnv === undefined ? undefined : process.env[bearerEnv];
  if (bearerEnv !== undefined && token === undefined) {
    throw new UserError('INVALID_PARAMETER', `The environment variable ${bearerEnv} is not set.`, {
      field: 'bearer-env',
    });
  }
  const headers = token === undefined ? {} : { authorization: `Bearer ${token}` };
  const transport = new StreamableHTTPClientTransport(new URL(url), { requestInit: { headers } });
  return { transport, readStderrTail: () => '' };
}

function createStdioClientTransport([command = '', ...args]: readonly string[]): OpenTransport {
  let stderrTail = '';
  const transport = new StdioClientTransport({
    command,
    args,
    env: createChildEnvironment(),
    stderr: 'pipe',
  });
  transport.stderr?.on('data', (chunk: Buffer) => {
    stderrTail = `${stderrTail}${chunk}`.slice(-MAX_STDERR_CHARS);
  });
  return { transport, readStderrTail: () => stderrTail };
}

/** The server may need any variable of the environment, such as its own tokens, but not our settings. */
function createChildEnvironment(): Record<string, string> {
  // biome-ignore lint/style/noProcessEnv: the server inherits the environment
  const given = Object.entries(withoutToolscopeVariables(process.env)).flatMap(
    ([name, value]): [string, string][] => (value === undefined ? [] : [[name, value]]),
  );
  return { ...Object.fromEntries(given), OTEL_SDK_DISABLED: 'true' };
}

function toUserError(cause: unknown, stderrTail: string): UserError {
  if (cause instanceof UserError) return cause;
  const why = cause instanceof Error ? cause.message : String(cause);
  const lastLines = stderrTail.trim().split('\n').slice(-10).join('\n');
  return new UserError('MCP_SERVER_FAILED', `The server did not list its tools: ${why}`, {
    cause,
    ...(lastLines !== '' && { hint: `The end of its stderr:\n${lastLines}` }),
  });
}
