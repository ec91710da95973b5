// `toolscope backup`: copies the store, and what waits for it, to a directory.

import { isAbsolute, resolve } from 'node:path';
import { BackupAnswer } from '../contract/upkeep.ts';
import type { Command } from './command.ts';
import { EXIT_CODES } from './exit-codes.ts';
import { joinLines } from './output.ts';
import { doUpkeep, readUpkeepConfig, UPKEEP_OPTIONS } from './upkeep-command.ts';

export const backup: Command = {
  meta: {
    name: 'backup',
    summary: 'copy everything that is kept to a directory, while the service runs or without it',
    argument: { name: 'directory', description: 'Where to; made, or empty.' },
    options: UPKEEP_OPTIONS,
    examples: [
      'toolscope backup /backups/toolscope-monday',
      'toolscope backup ./copy --data-dir ./telemetry --json',
    ],
  },
  run: async (options, { stdout }) => {
    const directory = toPath(String(options['directory']));
    const answer = await doUpkeep(await readUpkeepConfig(options), {
      path: 'backup',
      body: { directory },
      parse: (body) => BackupAnswer.parse(body),
      alone: (upkeep) => upkeep.backup({ directory }),
    });
    stdout.write(options['json'] === true ? `${JSON.stringify(answer)}\n` : formatAnswer(answer));
    return EXIT_CODES.ok;
  },
};

/** The service has another working directory than whoever asks. */
function toPath(directory: string): string {
  return isAbsolute(directory) ? directory : resolve(directory);
}

function formatAnswer({
  directory,
  engine,
  serverBackup,
  schemaVersion,
  tables,
  files,
  bytes,
}: BackupAnswer): string {
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
