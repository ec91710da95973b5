// `toolscope purge`: removes a session, a user, or everything before a point in time, and reports what was
// removed and what could not be reached.

import { PurgeBody, PurgeReceipt } from '../contract/maintenance.ts';
import { UserError } from '../errors.ts';
import type { Command, OptionValues } from './command.ts';
import { EXIT_CODES } from './exit-codes.ts';
import { MAINTENANCE_OPTIONS, readMaintenanceConfig, runMaintenance } from './maintenance-command.ts';
import { formatCountRow, joinLines, writeResult } from './output.ts';

export const purge: Command = {
  meta: {
    name: 'purge',
    summary: 'permanently delete a session, a user, or everything before a point in time',
    options: [
      { flags: '--session <id>', description: 'Delete this session.' },
      { flags: '--server <name>', description: 'With --session: only the session of this server.' },
      {
        flags: '--user <id>',
        description: 'Delete the calls of this user: the original id, or the 16 hex digits that are stored.',
      },
      {
        flags: '--before <time>',
        description: 'Delete everything older: an ISO 8601 time, epoch milliseconds, or a form like now-90d.',
      },
      { flags: '--yes', description: 'Delete. Without this option, only show what would be deleted.' },
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
    const receipt = await runMaintenance(await readMaintenanceConfig(options), {
      path: 'purge',
      body,
      parse: (response) => PurgeReceipt.parse(response),
      runOffline: (maintenance) => maintenance.purge(body),
    });
    writeResult(stdout, options, { result: receipt, format: formatReceipt });
    if (receipt.status === 'counted') stderr.write('Nothing was deleted. Add --yes to delete it.\n');
    return EXIT_CODES.ok;
  },
};

function toBody({ session, server, user, before, yes }: OptionValues): PurgeBody {
  const parsed = PurgeBody.safeParse({ session, server, user, before, confirmed: yes === true });
  if (parsed.success) return parsed.data;
  const [issue] = parsed.error.issues;
  const field = issue?.path[0];
  const what = field === undefined ? 'The options do not select anything' : `--${String(field)} is invalid`;
  throw new UserError('INVALID_PARAMETER', `${what}: ${issue?.message ?? ''}.`, {
    hint: 'See toolscope purge --help.',
  });
}

function formatReceipt(receipt: PurgeReceipt): string {
  const { what, status, tables, journalCalls, quarantineRows, alertRecords } = receipt;
  return joinLines([
    status === 'purged' ? `Purged: ${what}` : `Would purge: ${what}`,
    '',
    ...tables.map(({ table, rows }) => formatCountRow(table, rows)),
    formatCountRow('quarantine', quarantineRows),
    formatCountRow('alerts and messages', alertRecords),
    formatCountRow('journal, stored first', journalCalls),
    '',
    ...formatRebuiltDays(receipt),
    ...formatDiskState(receipt),
    'Not reached:',
    ...receipt.notReached.map((location) => `  ${location}`),
  ]);
}

function formatRebuiltDays({ rebuiltDays, keptDays }: PurgeReceipt): string[] {
  return [
    ...(rebuiltDays.length > 0 ? [`Totals recomputed: ${rebuiltDays.join(', ')}`] : []),
    ...keptDays.map(({ day, reason }) => `Totals not recomputed: ${day}, ${reason}`),
  ];
}

function formatDiskState({ bytes }: PurgeReceipt): string[] {
  if (bytes === 'untouched') return [];
  return [
    bytes === 'gone'
      ? 'The files that contained it are deleted.'
      : 'The files that contained it are no longer used; the engine deletes them within minutes.',
  ];
}
