// `toolscope restore`: restores a backup while no service is running.

import { resolve } from 'node:path';
import type { RestoreResponse } from '../contract/maintenance.ts';
import type { Command } from './command.ts';
import { EXIT_CODES } from './exit-codes.ts';
import { MAINTENANCE_OPTIONS, readMaintenanceConfig } from './maintenance-command.ts';
import { formatCountRow, joinLines, writeResult } from './output.ts';

export const restore: Command = {
  meta: {
    name: 'restore',
    summary: 'restore a backup into a data directory that no service uses',
    argument: { name: 'directory', description: 'A directory that toolscope backup wrote.' },
    options: [
      { flags: '--overwrite', description: 'First delete the contents of the data directory and the store.' },
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
    const result = await restoreBackup(config, log, { directory, overwrite: options['overwrite'] === true });
    writeResult(stdout, options, {
      result,
      format: (response) => formatRestore(response, config.dataDirectory),
    });
    return EXIT_CODES.ok;
  },
};

function formatRestore(
  { createdAt, schemaVersion, tables, notRestored }: RestoreResponse,
  dataDirectory: string,
): string {
  const skipped = notRestored.map((path) => `  ${JSON.stringify(path)}`);
  return joinLines([
    `Restored the backup of ${createdAt} (schema ${schemaVersion}) to ${dataDirectory}`,
    '',
    ...tables.map(({ table, rows }) => formatCountRow(table, rows)),
    ...(skipped.length > 0
      ? ['', 'Not restored, because a backup may not change settings; copy the ones you need:', ...skipped]
      : []),
  ]);
}
