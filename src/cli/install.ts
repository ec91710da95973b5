// `toolscope install`: makes the servers of MCP clients run under `toolscope wrap`, and undoes it.

import { fileURLToPath } from 'node:url';
import { UserError } from '../errors.ts';
import type { Command, CommandContext, OptionValues } from './command.ts';
import { EXIT_CODES } from './exit-codes.ts';
import { MCP_CLIENTS, type McpClient } from './install/clients.ts';
import { readBackup, writeConfig } from './install/config-file.ts';
import { type FoundConfig, findConfigs } from './install/find-configs.ts';
import { type ConfigReport, formatReports, toReport } from './install/format-report.ts';
import { type ConfigChange, planInstall, planUndo } from './install/plan-change.ts';
import type { Launcher } from './install/wrap-entries.ts';
import { writeResult } from './output.ts';
import { readString } from './parse-options.ts';

const CLIENT_IDS = MCP_CLIENTS.map(({ id }) => id).join(', ');

export const install: Command = {
  meta: {
    name: 'install',
    summary: 'make the servers of an MCP client run under wrap, by editing its configuration',
    operands: ' [client]',
    takesPositionals: true,
    options: [
      { flags: '--server <names>', description: 'Servers to wrap, separated by commas. Default: all.' },
      { flags: '--dry-run', description: 'Show the changes and write nothing.' },
      { flags: '--undo', description: 'Restore the configuration, or with --server those servers.' },
      { flags: '--json', description: 'Write the result as JSON.' },
    ],
    examples: [
      'toolscope install',
      'toolscope install cursor --dry-run',
      'toolscope install claude-desktop --server files,github',
      'toolscope install claude-desktop --undo',
    ],
  },
  run: async (options, context, operands = []) => {
    const client = parseClient(operands);
    const configs = await findConfigs(client && [client]);
    const reports =
      client === undefined
        ? configs.map((config) => toReport(config, undefined))
        : await changeAll(client, configs, { options, context });
    writeResult(context.stdout, options, { result: reports, format: formatReports });
    if (client === undefined)
      context.stderr.write(`Nothing was changed. Name a client to change it: ${CLIENT_IDS}.\n`);
    return EXIT_CODES.ok;
  },
};

/** @throws UserError unless at most one client is named, and known */
function parseClient([id, second]: readonly string[]): McpClient | undefined {
  const client = MCP_CLIENTS.find((one) => one.id === id);
  if (second === undefined && (id === undefined || client !== undefined)) return client;
  const given = second === undefined ? `"${id}" is no known client` : 'More than one client is named';
  throw new UserError('INVALID_PARAMETER', `${given}. Expected one of ${CLIENT_IDS}.`);
}

interface ChangeContext {
  readonly options: OptionValues;
  readonly context: CommandContext;
}

async function changeAll(
  client: McpClient,
  configs: readonly FoundConfig[],
  { options, context }: ChangeContext,
): Promise<readonly ConfigReport[]> {
  const names = readString(options['server'])
    ?.split(',')
    .map((name) => name.trim());
  assertReadable(client, configs);
  assertKnown(configs, names);
  const isUndo = options['undo'] === true;
  if (!isUndo && launcher().script.includes('_npx'))
    context.stderr.write(
      'toolscope is in the cache of npx, which npm may empty. Install it first: npm install -g toolscope\n',
    );
  const isChosen = (name: string) => names?.includes(name) ?? true;
  const reports: ConfigReport[] = [];
  for (const config of configs) {
    const backup = await readBackup(config.path, config.text);
    const change = isUndo
      ? planUndo(config.text, client, { backup, isChosen })
      : planInstall(config.text, client, { backup, isChosen, launcher: launcher() });
    reports.push(await apply(config, change, options['dryRun'] === true));
  }
  return reports;
}

async function apply(config: FoundConfig, change: ConfigChange, isDryRun: boolean): Promise<ConfigReport> {
  if (change.text === config.text || isDryRun) return toReport(config, { after: change.text, isDryRun });
  const backup = await writeConfig(config.path, change.text, change.original);
  return toReport(config, { after: change.text, isDryRun, backup });
}

function assertReadable(client: McpClient, configs: readonly FoundConfig[]): void {
  if (configs.length === 0) throw new UserError('NOT_FOUND', `No configuration of ${client.name} was found.`);
  const broken = configs.find(({ problem }) => problem !== undefined);
  if (broken !== undefined)
    throw new UserError('INVALID_PARAMETER', `${broken.path} cannot be read. ${broken.problem}`);
}

/** @throws UserError that lists the servers there are */
function assertKnown(configs: readonly FoundConfig[], names: readonly string[] | undefined): void {
  const known = configs.flatMap(({ entries }) => entries.map(({ name }) => name));
  const unknown = names?.find((name) => !known.includes(name));
  if (unknown === undefined) return;
  throw new UserError('NOT_FOUND', `No server is named "${unknown}". There are: ${known.join(', ')}.`, {
    field: 'server',
  });
}

function launcher(): Launcher {
  return { node: process.execPath, script: fileURLToPath(new URL('main.js', import.meta.url)) };
}
