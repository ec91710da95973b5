// `toolscope purge`: removes a session, a user, or everything before a point in time, and reports what was
// removed and what could not be reached.

import { PurgeBody, PurgeReceipt } from '../contract/maintenance.ts';
import { UserError } from '../errors.ts';
import type { Command, OptionValues } from './command.ts';
import { EXIT_CODES } from './exit-codes.ts';
import { MAINTENANCE_OPTIONS, readMaintenanceConfig, runMaintenance } from './maintenance-command.ts';
import { joinLines } from './output.ts';

export const purge: Command = {
  meta: {
    name: 'purge',
    summary: 'forget a session, a user, or everything before an instant, for good',
    options: [
      { flags: '--session <id>', description: 'The session of this id.' },
      { flags: '--server <name>', description: 'With --session: only of this server.' },
      {
        flags: '--user <id>',
        description: 'Calls of this user: the id as it was given, or the 16 hex digits that are stored.',
      },
      {
        flags: '--before <time>',
        description: 'Everything older: an ISO 8601 time, epoch milliseconds, or now-90d.',
      },
      { flags: '--yes', description: 'Do it; without this, only say what would go.' },
      ...MAINTENANCE_OPTIONS,
    ],
    examples: [
      'toolscope purge --session 5f3a',
      'toolscope purge --user anna@example.org --yes',
      'toolscope purge --before now-90d --yes --json',
    ],
  },
  run: async (options, { stdout, stderr }) => {
    const body = toBody(options);
    const setup = await readMaintenanceConfig(options);
    const receipt = await runMaintenance(setup, {
      path: 'purge',
      body,
      parse: (answer) => PurgeReceipt.parse(answer),
      runOffline: (upkeep) => upkeep.purge(body),
    });
    if (options['json'] === true) stdout.write(`${JSON.stringify(receipt)}\n`);
    else stdout.write(formatReceipt(receipt));
    if (receipt.status === 'counted') stderr.write('Nothing was changed. Add --yes to do it.\n');
    return EXIT_CODES.ok;
  },
};

function toBody({ session, server, user, before, yes }: OptionValues): PurgeBody {
  const parsed = PurgeBody.safeParse({ session, server, user, before, confirmed: yes === true });
  if (parsed.success) return parsed.data;
  const [issue] = parsed.error.issues;
  const field = issue?.path[0];
  const what =
    field === undefined ? 'What is to go is not clear' : `Option --${String(field)} is not allowed`;
  throw new UserError('INVALID_PARAMETER', `${what}: ${issue?.message ?? ''}.`, {
    hint: 'toolscope purge --help says what there is.',
  });
}

function formatReceipt(receipt: PurgeReceipt): string {
  const { what, status, tables, journalCalls, quarantineRows, alertRecords } = receipt;
  const lines = [
    status === 'purged' ? `Purged: ${what}` : `Would purge: ${what}`,
    '',
    ...tables.map(({ table, rows }) => formatRowCount(table, rows)),
    formatRowCount('quarantine', quarantineRows),
    formatRowCount('alerts and messages', alertRecords),
    formatRowCount('journal, stored first', journalCalls),
    '',
    ...formatRebuiltDays(receipt),
    ...formatDiskState(receipt),
    'Not reached:',
    ...receipt.notReached.map((location) => `  ${location}`),
  ];
  return joinLines(lines);
}

function formatRowCount(name: string, count: number): string {
  return `  ${name.padEnd(22)}${String(count).padStart(10)}`;
}

function formatRebuiltDays({ rebuiltDays, keptDays }: PurgeReceipt): string[] {
  return [
    ...(rebuiltDays.length > 0 ? [`Counted anew: ${rebuiltDays.join(', ')}`] : []),
    ...keptDays.map(({ day, reason }) => `Not counted anew: ${day}, ${reason}`),
  ];
}

function formatDiskState({ bytes }: PurgeReceipt): string[] {
  if (bytes === 'untouched') return [];
  return [
    bytes === 'gone'
      ? 'The files that held it are off the disk.'
      : 'The files that held it are out of use; the engine removes them within minutes.',
  ];
}
