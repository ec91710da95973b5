// `toolscope restore`: restores a backup while no service is running.

import { resolve } from 'node:path';
import type { RestoreResponse } from '../contract/maintenance.ts';
import type { Command } from './command.ts';
import { EXIT_CODES } from './exit-codes.ts';
import { MAINTENANCE_OPTIONS, readMaintenanceConfig } from './maintenance-command.ts';
import { joinLines } from './output.ts';

export const restore: Command = {
  meta: {
    name: 'restore',
    summary: 'put a backup back into a data directory that no service holds',
    argument: { name: 'directory', description: 'What toolscope backup wrote.' },
    options: [
      { flags: '--overwrite', description: 'Remove what is in the data directory and the store first.' },
      ...MAINTENANCE_OPTIONS,
    ],
    examples: [
      'toolscope restore /backups/toolscope-monday --data-dir ./telemetry',
      'toolscope restore /backups/toolscope-monday --overwrite',
    ],
  },
  run: async (options, { stdout }) => {
    const { config, log } = await readMaintenanceConfig(options);
    const { restoreBackup } = await import('../service/composition/offline.ts');
    const directory = resolve(String(options['directory']));
    const answer = await restoreBackup(config, log, { directory, overwrite: options['overwrite'] === true });
    stdout.write(
      options['json'] === true ? `${JSON.stringify(answer)}\n` : formatRestore(answer, config.dataDirectory),
    );
    return EXIT_CODES.ok;
  },
};

function formatRestore(
  { createdAt, schemaVersion, tables, notRestored }: RestoreResponse,
  dataDirectory: string,
): string {
  const lines = [
    `Restored the backup of ${createdAt} (schema ${schemaVersion}) to ${dataDirectory}`,
    '',
    ...tables.map(({ table, rows }) => `  ${table.padEnd(22)}${String(rows).padStart(10)}`),
    ...(notRestored.length > 0
      ? ['', 'Not restored, because a backup may not change settings; copy what you want of it:']
      : []),
    ...notRestored.map((path) => `  ${JSON.stringify(path)}`),
  ];
  return joinLines(lines);
}
