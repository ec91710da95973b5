// Applies the daily name limits to the entries of a request before they reach the journal.

import { setImmediate as nextTurn } from 'node:timers/promises';
import {
  type CallNames,
  type ColumnReplacements,
  limitNames,
  parseRows,
  replaceInHead,
  replaceInRows,
} from './call-names.ts';
import type { DailyNames } from './daily-names.ts';
import { formatRow } from './format-row.ts';
import type { JournalEntry } from './journal-record.ts';

/** An entry with the index of its names. */
export type NamedEntry = JournalEntry & {
  readonly namesAt: number;
  /** Names of its call that are stored as others, by column. */
  readonly replacements?: ColumnReplacements;
};

/** The columns of `tool_listings` with the server and tool names. */
interface ListingRow {
  readonly server_name: string;
  readonly server_version: string;
  readonly environment: string;
  readonly catalogue_hash: string;
  readonly tool_name: string;
}

/**
 * Maximum time in the event loop: rewriting a row takes about twenty microseconds, and there may be 32,768.
 */
const MAX_BLOCKING_MS = 5;

/**
 * @returns the entries in the same order; nearly always unchanged and in the same turn of the event loop
 */
export async function limitEntryNames<E extends NamedEntry>(
  entries: readonly E[],
  names: readonly CallNames[],
  daily: DailyNames,
): Promise<E[]> {
  const replacementsByIndex = new Map<number, ColumnReplacements | undefined>();
  const result: E[] = [];
  let startedMs = performance.now();
  for (const entry of entries) {
    if (performance.now() - startedMs > MAX_BLOCKING_MS) {
      await nextTurn();
      startedMs = performance.now();
    }
    result.push(limitEntry(entry, { names, daily, replacementsByIndex }));
  }
  return result;
}

interface NameLimitContext {
  readonly names: readonly CallNames[];
  readonly daily: DailyNames;
  /** The replacements of each set of names, by index. */
  readonly replacementsByIndex: Map<number, ColumnReplacements | undefined>;
}

function limitEntry<E extends NamedEntry>(
  entry: E,
  { names, daily, replacementsByIndex }: NameLimitContext,
): E {
  // Listings first, because listed tools may be called.
  const listing = entry.listing && limitListing(entry.listing, daily);
  const { namesAt } = entry;
  const own = names[namesAt];
  if (own && !replacementsByIndex.has(namesAt)) replacementsByIndex.set(namesAt, limitNames(own, daily));
  const replacements = replacementsByIndex.get(namesAt);
  if (replacements === undefined && listing === entry.listing) return entry;
  return {
    ...entry,
    ...(replacements && { ...replaceNames(entry, replacements), replacements }),
    ...(listing && { listing }),
  };
}

function replaceNames(
  { call, payload }: JournalEntry,
  replacements: ColumnReplacements,
): Pick<JournalEntry, 'call' | 'payload'> {
  return {
    ...(call && { call: replaceInHead(call, replacements) }),
    ...(payload && { payload: replaceInRows(payload, replacements) }),
  };
}

type Listing = NonNullable<JournalEntry['listing']>;

/**
 * A listing over a limit loses its catalogue row, because tools of several servers are not a catalogue. Its
 * tools are limited one by one.
 */
function limitListing(listing: Listing, daily: DailyNames): Listing {
  // Rows written by this service.
  const rows = parseRows(listing.rows) as unknown as readonly ListingRow[];
  const [head] = rows;
  if (head === undefined) return listing;
  const { server_name: server, catalogue_hash: catalogue } = head;
  if (!daily.admit('server', server) || !daily.admit('catalogue', catalogue, server)) return EMPTY_LISTING;
  const replacements = limitNames(
    { server, version: head.server_version, environment: head.environment },
    daily,
  );
  const kept = rows.filter(({ tool_name: tool }) => daily.admit('listedTool', tool, server));
  if (replacements === undefined && kept.length === rows.length) return listing;
  const lines = kept.map((row) => formatRow({ ...row, ...replacements }));
  return { rows: Buffer.from(lines.join('')), rowCount: kept.length };
}

const EMPTY_LISTING: Listing = { rows: new Uint8Array(0), rowCount: 0 };
