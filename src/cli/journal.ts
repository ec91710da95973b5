// `toolscope journal`: lists pending segments and the quarantine, and replays or removes entries of the
// quarantine. It works on the data directory alone; a marker file requests a replay from the current or next
// service.

import { setTimeout as delay } from 'node:timers/promises';
import { UserError } from '../errors.ts';
import { findLockHolder } from '../service/data-directory/directory-lock.ts';
import { describeHolder } from '../service/data-directory/lock-data-directory.ts';
import {
  listReplayRequests,
  type QuarantineListEntry,
  removeQuarantineEntry,
  requestReplay,
} from '../service/ingest/quarantine.ts';
import { readJournal, toQuarantineLocation } from '../service/ingest/read-journal.ts';
import type { Command, CommandContext, OptionValues } from './command.ts';
import { EXIT_CODES } from './exit-codes.ts';
import { formatJournal } from './journal/format-journal.ts';
import { writeResult } from './output.ts';
import { toSettingFlags, toSettingOptions } from './setting-options.ts';

const POLL_MS = 200;
const MAX_WAIT_MS = 30_000;

interface ActionOptions {
  readonly dataDirectory: string;
  readonly id: string | undefined;
  readonly options: OptionValues;
  readonly context: CommandContext;
}

const ACTIONS: Readonly<Record<string, (options: ActionOptions) => Promise<void>>> = {
  list: listEntries,
  replay,
  /** The former name of `replay`. */
  reship: replay,
  drop: dropEntry,
};

export const journal: Command = {
  meta: {
    name: 'journal',
    summary: 'list the data that waits for the store or was refused by it; replay or drop refused entries',
    operands: ' list | replay [id] | drop <id>',
    takesPositionals: true,
    options: [
      ...toSettingOptions(['dataDirectory', 'configFile']),
      { flags: '--json', description: 'Print the result as JSON.' },
      { flags: '--yes', description: 'With drop: confirm that the rows of the entry are deleted.' },
    ],
    examples: [
      'toolscope journal list',
      'toolscope journal replay',
      'toolscope journal replay 3f9a1c2e-120001',
      'toolscope journal drop 3f9a1c2e-120001 --yes',
    ],
  },
  run: async (options, context, [action = 'list', id, ...more] = []) => {
    const run = Object.hasOwn(ACTIONS, action) ? ACTIONS[action] : undefined;
    if (!run || more.length > 0) {
      throw new UserError(
        'INVALID_PARAMETER',
        `Unknown action: journal ${[action, id, ...more].join(' ').trim()}. Expected list, replay [id] or drop <id>.`,
      );
    }
    const { readConfig } = await import('../service/config/read-config.ts');
    const { dataDirectory } = readConfig({ flags: toSettingFlags(options) });
    await run({ dataDirectory, id, options, context });
    return EXIT_CODES.ok;
  },
};

async function listEntries({ dataDirectory, options, context }: ActionOptions): Promise<void> {
  const contents = await readJournal(dataDirectory);
  const nowMs = Date.now();
  const pending = contents.pending.map((segment) => withAge(segment, nowMs));
  writeResult(context.stdout, options, {
    result: { ...contents, pending },
    format: () => formatJournal(contents, nowMs),
  });
}

function withAge<T extends { readonly sinceMs: number | undefined }>(
  { sinceMs, ...segment }: T,
  nowMs: number,
) {
  return { ...segment, ageMs: sinceMs === undefined ? null : Math.max(0, nowMs - sinceMs) };
}

async function replay({ dataDirectory, id, options, context }: ActionOptions): Promise<void> {
  const { quarantine } = await readJournal(dataDirectory);
  const selected = id === undefined ? quarantine : [findEntry(quarantine, id)];
  if (id !== undefined && selected[0]?.kind === 'damaged') {
    const message = `Entry ${id} contains damaged bytes without readable rows and cannot be replayed.`;
    throw new UserError('INVALID_PARAMETER', message);
  }
  const entries = selected.filter(({ kind }) => kind === 'refused');
  const ids = entries.map((entry) => entry.id);
  for (const entryId of ids) await requestReplay(toQuarantineLocation(dataDirectory), entryId);
  const rows = entries.reduce((sum, entry) => sum + entry.rows, 0);
  const lock = await findLockHolder(dataDirectory);
  const waiting = lock === undefined ? ids : await waitUntilTaken(dataDirectory, ids, context.signal);
  const servicePid = lock?.holder?.process.pid ?? null;
  writeResult(context.stdout, options, {
    result: { asked: ids, rows, waiting, servicePid },
    format: (result) => formatReplay(result, lock && describeHolder(lock.holder)),
  });
}

interface ReplayResult {
  readonly asked: readonly string[];
  readonly rows: number;
  /** Entries that no service has picked up yet. */
  readonly waiting: readonly string[];
}

/** @param service the process that holds the directory; undefined when there is none */
function formatReplay({ asked, rows, waiting }: ReplayResult, service: string | undefined): string {
  if (asked.length === 0) return 'The quarantine contains no refused rows.\n';
  const what = `${rows} rows of ${asked.length} ${asked.length === 1 ? 'entry' : 'entries'}`;
  if (service === undefined)
    return `${what} will be replayed when a service starts on this data directory: toolscope up\n`;
  if (waiting.length > 0)
    return `Requested the replay of ${what}; ${service} has not yet picked up ${waiting.length} of them.\n`;
  return `${what} are back in the journal of ${service}. If they are refused again, toolscope journal list shows it.\n`;
}

/** Returns the entries that are still waiting after half a minute. */
async function waitUntilTaken(
  dataDirectory: string,
  ids: readonly string[],
  signal: AbortSignal,
): Promise<string[]> {
  const directory = toQuarantineLocation(dataDirectory);
  for (const deadline = Date.now() + MAX_WAIT_MS; ; await delay(POLL_MS)) {
    const requested = await listReplayRequests(directory);
    const left = ids.filter((id) => requested.includes(id));
    if (left.length === 0 || signal.aborted || Date.now() >= deadline) return left;
  }
}

async function dropEntry({ dataDirectory, id, options, context }: ActionOptions): Promise<void> {
  if (id === undefined) throw new UserError('INVALID_PARAMETER', 'Expected the id of a quarantine entry.');
  const { quarantine } = await readJournal(dataDirectory);
  const { rows, bytes, isAsked } = findEntry(quarantine, id);
  if (isAsked && (await findLockHolder(dataDirectory)) !== undefined)
    throw new UserError('INVALID_PARAMETER', `Entry ${id} is being replayed.`);
  if (options['yes'] !== true) {
    throw new UserError(
      'INVALID_PARAMETER',
      `Dropping ${id} permanently deletes ${rows} rows (${bytes} bytes).`,
      {
        hint: `To confirm: toolscope journal drop ${id} --yes`,
      },
    );
  }
  await removeQuarantineEntry(toQuarantineLocation(dataDirectory), id);
  writeResult(context.stdout, options, {
    result: { dropped: id, rows, bytes },
    format: () => `Dropped ${id}: ${rows} rows, ${bytes} bytes.\n`,
  });
}

function findEntry(quarantine: readonly QuarantineListEntry[], id: string): QuarantineListEntry {
  const entry = quarantine.find((other) => other.id === id);
  if (!entry)
    throw new UserError('NOT_FOUND', `There is no quarantine entry ${id}.`, {
      hint: 'toolscope journal list',
    });
  return entry;
}
