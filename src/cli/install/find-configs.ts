// The configurations of this user and of the current directory.

import { join } from 'node:path';
import { UserError } from '../../errors.ts';
import { resolveHomeDirectory } from '../../service/config/home-directory.ts';
import { readEnvironment } from '../../service/config/read-environment.ts';
import { MCP_CLIENTS, type McpClient, type UserDirectories } from './clients.ts';
import { readConfig } from './config-file.ts';
import { listEntries, type ServerEntry } from './server-entries.ts';

export interface FoundConfig {
  readonly client: McpClient;
  readonly path: string;
  readonly text: string;
  readonly entries: readonly ServerEntry[];
  /** Why the file cannot be read; undefined when it can. */
  readonly problem: string | undefined;
}

/** The files that exist, in the order of the table of clients. */
export async function findConfigs(
  clients: readonly McpClient[] = MCP_CLIENTS,
  directories: UserDirectories = readDirectories(),
): Promise<readonly FoundConfig[]> {
  const found = clients.flatMap((client) =>
    [...new Set(client.files(directories))].map(async (path) => {
      const text = await readConfig(path);
      return text === undefined ? [] : [readFound(client, path, text)];
    }),
  );
  return (await Promise.all(found)).flat();
}

function readFound(client: McpClient, path: string, text: string): FoundConfig {
  // Some clients create an empty file first.
  if (text.trim() === '') return { client, path, text, entries: [], problem: undefined };
  try {
    const entries = listEntries(client.parse(text), client.containers);
    return { client, path, text, entries, problem: undefined };
  } catch (error) {
    if (!(error instanceof UserError)) throw error;
    return { client, path, text, entries: [], problem: error.message };
  }
}

function readDirectories(): UserDirectories {
  const environment = readEnvironment();
  const home = resolveHomeDirectory();
  const config = environment['XDG_CONFIG_HOME'] || join(home, '.config');
  const applications = {
    darwin: join(home, 'Library', 'Application Support'),
    win32: environment['APPDATA'] || join(home, 'AppData', 'Roaming'),
  };
  return {
    home,
    config,
    applications: applications[process.platform as 'darwin' | 'win32'] ?? config,
    codex: environment['CODEX_HOME'] || join(home, '.codex'),
    current: process.cwd(),
  };
}
