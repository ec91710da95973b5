// `toolscope backup`: copies the store, and the journal that waits for it, to a directory.

import { isAbsolute, resolve } from 'node:path';
import { BackupResponse } from '../contract/maintenance.ts';
import type { Command } from './command.ts';
import { EXIT_CODES } from './exit-codes.ts';
import { MAINTENANCE_OPTIONS, readMaintenanceConfig, runMaintenance } from './maintenance-command.ts';
import { joinLines } from './output.ts';

export const backup: Command = {
  meta: {
    name: 'backup',
    summary: 'copy everything that is kept to a directory, while the service runs or without it',
    argument: { name: 'directory', description: 'Where to; made, or empty.' },
    options: MAINTENANCE_OPTIONS,
    examples: [
      'toolscope backup /backups/toolscope-monday',
      'toolscope backup ./copy --data-dir ./telemetry --json',
    ],
  },
  run: async (options, { stdout }) => {
    const directory = toAbsolutePath(String(options['directory']));
    const answer = await runMaintenance(await readMaintenanceConfig(options), {
      path: 'backup',
      body: { directory },
      parse: (body) => BackupResponse.parse(body),
      runOffline: (upkeep) => upkeep.backup({ directory }),
    });
    stdout.write(options['json'] === true ? `${JSON.stringify(answer)}\n` : formatBackup(answer));
    return EXIT_CODES.ok;
  },
};

/** Resolves the path here, because the service has another working directory than this process. */
function toAbsolutePath(directory: string): string {
  return isAbsolute(directory) ? directory : resolve(directory);
}

function formatBackup({
  directory,
  engine,
  serverBackup,
  schemaVersion,
  tables,
  files,
  bytes,
}: BackupResponse): string {
  const lines = [
    `Backed up to ${directory}: ${files} files, ${bytes} bytes, schema ${schemaVersion}`,
    ...(engine === 'server'
      ? [`The store itself is on the ClickHouse server, as File('${serverBackup}').`]
      : []),
    '',
    ...tables.map(({ table, least }) => `  ${table.padEnd(22)}${String(least).padStart(10)}`),
  ];
  return joinLines(lines);
}
