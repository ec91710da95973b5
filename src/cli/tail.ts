// `toolscope tail`: the newest calls, and with --follow those that arrive.

import type { CallRow } from '../contract/calls.ts';
import { BoundedMap } from '../core/values/bounded-map.ts';
import type { Config } from '../service/config/settings.ts';
import type { Command, OptionValues } from './command.ts';
import { EXIT_CODES } from './exit-codes.ts';
import { formatSecond } from './format-table.ts';
import { readMaintenanceConfig, STORE_OPTIONS } from './maintenance-command.ts';
import { joinLines, writeText } from './output.ts';
import { pause } from './pause.ts';
import { readResource, toQuery } from './read-resource.ts';

const POLL_MS = 1_000;
/** A call is stored when it has ended, and listed by its start: one that took longer is not seen. */
const FOLLOWED_RANGE = 'now-30m';
const PAGE_SIZE = 500;
/** Of each poll; a service that takes more than 2,500 calls a second is not read by a person. */
const MAX_PAGES = 5;
const MAX_SEEN = 100_000;

export const tail: Command = {
  meta: {
    name: 'tail',
    summary: 'print the newest calls, and follow those that arrive',
    options: [
      { flags: '-f, --follow', description: 'Print calls as they arrive, until it is interrupted.' },
      { flags: '--lines <number>', description: 'Calls to begin with, from 1 to 1000. Default: 10.' },
      { flags: '--errors', description: 'Only calls that failed.' },
      { flags: '--server <name>', description: 'Only this server.' },
      { flags: '--tool <name>', description: 'Only this tool.' },
      { flags: '--client <name>', description: 'Only this client.' },
      { flags: '--session <id>', description: 'Only this session.' },
      ...STORE_OPTIONS,
      { flags: '--json', description: 'Print each call as a line of JSON.' },
    ],
    examples: ['toolscope tail -f', 'toolscope tail -f --errors --server notes', 'toolscope tail --json'],
  },
  run: async (options, { stdout, signal }) => {
    const { config } = await readMaintenanceConfig(options);
    const seen = new BoundedMap<string, true>(MAX_SEEN);
    const first = await readCalls(config, options, {
      from: 'now-24h',
      limit: String(options['lines'] ?? 10),
    });
    // What is older than the first lines is not printed later.
    const all = options['follow'] === true ? await readFollowed(config, options, seen) : [];
    for (const call of [...all, ...first.calls]) seen.set(toKey(call), true);
    await writeText(stdout, formatCalls(first.calls, options));
    while (options['follow'] === true && !signal.aborted) {
      await pause(POLL_MS, signal);
      if (signal.aborted) break;
      const fresh = await readFollowed(config, options, seen);
      for (const call of fresh) seen.set(toKey(call), true);
      if (fresh.length > 0) await writeText(stdout, formatCalls(fresh, options));
    }
    return EXIT_CODES.ok;
  },
};

const toKey = ({ traceId, spanId }: CallRow): string => traceId + spanId;

function readCalls(config: Config, options: OptionValues, more: Readonly<Record<string, string>>) {
  const errors = options['errors'] === true ? { errors: 'true' } : {};
  const query = toQuery(options, ['server', 'tool', 'client', 'session'], { ...errors, ...more });
  return readResource(config, 'calls', query);
}

/** The calls that were not seen, newest first; reads on while whole pages are new. */
async function readFollowed(
  config: Config,
  options: OptionValues,
  seen: BoundedMap<string, true>,
): Promise<CallRow[]> {
  const fresh: CallRow[] = [];
  let cursor: string | null = null;
  for (let page = 0; page < MAX_PAGES; page += 1) {
    const more: Readonly<Record<string, string>> = cursor === null ? {} : { cursor };
    const limit = String(PAGE_SIZE);
    const { calls, nextCursor } = await readCalls(config, options, { from: FOLLOWED_RANGE, limit, ...more });
    const unseen = calls.filter((call) => seen.get(toKey(call)) === undefined);
    fresh.push(...unseen);
    cursor = nextCursor;
    if (cursor === null || unseen.length < calls.length) break;
  }
  return fresh;
}

/** Oldest first. */
function formatCalls(calls: readonly CallRow[], { json }: OptionValues): string {
  if (calls.length === 0) return '';
  const inOrder = [...calls].reverse();
  if (json === true) return inOrder.map((call) => `${JSON.stringify(call)}\n`).join('');
  return joinLines(inOrder.map(formatCall));
}

function formatCall(call: CallRow): string {
  const { startedAt, server, method, tool, durationMs, outcome, code, errorMessage, client } = call;
  const failure = [code, errorMessage].filter((part) => part !== '').join(': ');
  return [
    formatSecond(startedAt),
    server || '-',
    tool || method,
    `${durationMs.toFixed(durationMs < 10 ? 1 : 0)} ms`,
    outcome === 'ok' ? 'ok' : `${outcome}${failure && ` (${failure})`}`,
    ...(client === '' ? [] : [`from ${client}`]),
  ].join('  ');
}
