// `toolscope backup`: copies the store, and the journal that waits for it, to a directory.

import { resolve } from 'node:path';
import { BackupResponse } from '../contract/maintenance.ts';
import type { Command } from './command.ts';
import { EXIT_CODES } from './exit-codes.ts';
import { MAINTENANCE_OPTIONS, readMaintenanceConfig, runMaintenance } from './maintenance-command.ts';
import { formatCountRow, joinLines, writeResult } from './output.ts';

export const backup: Command = {
  meta: {
    name: 'backup',
    summary: 'copy all stored data to a directory, with or without a running service',
    argument: { name: 'directory', description: 'Target directory: empty, or created by this command.' },
    options: MAINTENANCE_OPTIONS,
    examples: [
      'toolscope backup /backups/toolscope-monday',
      'toolscope backup ./copy --data-dir ./telemetry --json',
    ],
  },
  run: async (options, { stdout }) => {
    // Resolved here, because the service has another working directory than this process.
    const directory = resolve(String(options['directory']));
    const result = await runMaintenance(await readMaintenanceConfig(options), {
      path: 'backup',
      body: { directory },
      parse: (response) => BackupResponse.parse(response),
      runOffline: (maintenance) => maintenance.backup({ directory }),
    });
    writeResult(stdout, options, { result, format: formatBackup });
    return EXIT_CODES.ok;
  },
};

function formatBackup(response: BackupResponse): string {
  const { directory, engine, serverBackup, schemaVersion, tables, files, bytes } = response;
  return joinLines([
    `Backed up to ${directory}: ${files} files, ${bytes} bytes, schema ${schemaVersion}`,
    ...(engine === 'server'
      ? [`The store itself is on the ClickHouse server, as File('${serverBackup}').`]
      : []),
    '',
    ...tables.map(({ table, least }) => formatCountRow(table, least)),
  ]);
}
