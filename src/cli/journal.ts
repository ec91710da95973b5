// `toolscope journal`: lists what waits for the store and what is in quarantine, and replays or removes
// quarantine entries. It works on the data directory alone. A replay is requested by a marker file there: a
// running service picks it up within moments, otherwise the next one does at its start.

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
import { toSettingFlags, toSettingOptions } from './setting-options.ts';

const POLL_MS = 200;
const MAX_WAIT_MS = 30_000;

interface ActionOptions {
  readonly dataDirectory: string;
  readonly id: string | undefined;
  readonly options: OptionValues;
  readonly context: CommandContext;
}

const ACTIONS: Readonly<Record<string, (asked: ActionOptions) => Promise<number>>> = {
  list: listEntries,
  reship: replay,
  drop: dropEntry,
};

export const journal: Command = {
  meta: {
    name: 'journal',
    summary: 'show what waits for the store and what it refused; send that again, or drop it',
    operands: ' list | reship [id] | drop <id>',
    takesPositionals: true,
    options: [
      ...toSettingOptions(['dataDirectory', 'configFile']),
      { flags: '--json', description: 'Print JSON to stdout.' },
      { flags: '--yes', description: 'Drop without asking; what is dropped is lost.' },
    ],
    examples: [
      'toolscope journal list',
      'toolscope journal reship',
      'toolscope journal reship 3f9a1c2e-120001',
      'toolscope journal drop 3f9a1c2e-120001 --yes',
    ],
  },
  run: async (options, context, [action = 'list', id, ...more] = []) => {
    const run = Object.hasOwn(ACTIONS, action) ? ACTIONS[action] : undefined;
    if (!run || more.length > 0) {
      throw new UserError(
        'INVALID_PARAMETER',
        `Unknown: journal ${[action, id, ...more].join(' ').trim()}. Expected list, reship [id] or drop <id>.`,
      );
    }
    const { readConfig } = await import('../service/config/read-config.ts');
    const { dataDirectory } = readConfig({ flags: toSettingFlags(options) });
    return run({ dataDirectory, id, options, context });
  },
};

async function listEntries({ dataDirectory, options, context }: ActionOptions): Promise<number> {
  const contents = await readJournal(dataDirectory);
  const now = Date.now();
  const { pending, quarantine, dropped } = contents;
  context.stdout.write(
    options['json'] === true
      ? `${JSON.stringify({ pending: pending.map((segment) => withAge(segment, now)), quarantine, dropped })}\n`
      : formatJournal(contents, now),
  );
  return EXIT_CODES.ok;
}

function withAge<T extends { readonly sinceMs: number | undefined }>(
  { sinceMs, ...segment }: T,
  now: number,
) {
  return { ...segment, ageMs: sinceMs === undefined ? null : Math.max(0, now - sinceMs) };
}

async function replay({ dataDirectory, id, options, context }: ActionOptions): Promise<number> {
  const directory = toQuarantineLocation(dataDirectory);
  const { quarantine } = await readJournal(dataDirectory);
  const named = id === undefined ? quarantine : [findEntry(quarantine, id)];
  if (id !== undefined && named[0]?.kind === 'damaged') throw createDamagedEntryError(id);
  const entries = named.filter(({ kind }) => kind === 'refused');
  for (const entry of entries) await requestReplay(directory, entry.id);
  const rows = entries.reduce((sum, entry) => sum + entry.rows, 0);
  const lock = await findLockHolder(dataDirectory);
  const ids = entries.map((entry) => entry.id);
  const left = lock === undefined ? ids : await waitUntilTaken(dataDirectory, ids, context.signal);
  const servicePid = lock?.holder?.process.pid ?? null;
  if (options['json'] === true)
    context.stdout.write(`${JSON.stringify({ asked: ids, rows, waiting: left, servicePid })}\n`);
  else {
    const service = lock && describeHolder(lock.holder);
    context.stdout.write(formatReplay(entries.length, rows, { left: left.length, service }));
  }
  return EXIT_CODES.ok;
}

interface ReplayOutcome {
  /** Entries that no service has picked up yet. */
  readonly left: number;
  /** The process that holds the directory; undefined when there is none. */
  readonly service: string | undefined;
}

function formatReplay(entries: number, rows: number, { left, service }: ReplayOutcome): string {
  if (entries === 0) return 'No refused rows are in quarantine.\n';
  const what = `${rows} rows of ${entries} ${entries === 1 ? 'entry' : 'entries'}`;
  if (service === undefined)
    return `${what} will be sent again when a service starts on this data directory: toolscope up\n`;
  if (left > 0) return `${what} are asked for; ${service} has not taken ${left} of them yet and goes on.\n`;
  return `${what} are back in the journal of ${service}. What is refused again shows in: toolscope journal list\n`;
}

/** @returns the entries that are still there after half a minute */
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

async function dropEntry({ dataDirectory, id, options, context }: ActionOptions): Promise<number> {
  if (id === undefined) throw new UserError('INVALID_PARAMETER', 'Expected the id of a quarantine entry.');
  const { quarantine } = await readJournal(dataDirectory);
  const { rows, bytes, isAsked } = findEntry(quarantine, id);
  if (isAsked && (await findLockHolder(dataDirectory)) !== undefined)
    throw new UserError('INVALID_PARAMETER', `Entry ${id} is being sent again right now.`);
  if (options['yes'] !== true) {
    throw new UserError('INVALID_PARAMETER', `Dropping ${id} loses ${rows} rows (${bytes} bytes) for good.`, {
      hint: `If that is meant: toolscope journal drop ${id} --yes`,
    });
  }
  await removeQuarantineEntry(toQuarantineLocation(dataDirectory), id);
  context.stdout.write(
    options['json'] === true
      ? `${JSON.stringify({ dropped: id, rows, bytes })}\n`
      : `Dropped ${id}: ${rows} rows, ${bytes} bytes.\n`,
  );
  return EXIT_CODES.ok;
}

function findEntry(quarantine: readonly QuarantineListEntry[], id: string): QuarantineListEntry {
  const entry = quarantine.find((other) => other.id === id);
  if (!entry)
    throw new UserError('NOT_FOUND', `No quarantine entry ${id}.`, { hint: 'toolscope journal list' });
  return entry;
}

function createDamagedEntryError(id: string): UserError {
  return new UserError(
    'INVALID_PARAMETER',
    `Entry ${id} holds damaged bytes, in which no row can be told; it cannot be sent again.`,
  );
}
