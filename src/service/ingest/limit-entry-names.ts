// Entries of a request on their way to the journal, with the names that go beyond the limits of the day taken out of their rows.

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
import type { JournalEntry } from './journal-entry.ts';

/** An entry with its place among the names of its request. */
export type NamedEntry = JournalEntry & { readonly namesAt: number };

/** What a listing says of its server and tools, in the columns of `tool_listings`. */
interface ListingRow {
  readonly server_name: string;
  readonly server_version: string;
  readonly environment: string;
  readonly catalogue_hash: string;
  readonly tool_name: string;
}

/** How long one request may keep the event loop: writing a row again takes some twenty microseconds, and there may be 32,768. */
const MAX_BLOCKING_MS = 5;

/** @returns the entries in the same order; nearly always the very same ones, and then in the same turn of the event loop */
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
  /** What came of each set of names, by its place. */
  readonly replacementsByIndex: Map<number, ColumnReplacements | undefined>;
}

function limitEntry<E extends NamedEntry>(
  entry: E,
  { names, daily, replacementsByIndex }: NameLimitContext,
): E {
  // First: what a server lists may be called.
  const listing = entry.listing && limitListing(entry.listing, daily);
  const { namesAt } = entry;
  const own = names[namesAt];
  if (own && !replacementsByIndex.has(namesAt)) replacementsByIndex.set(namesAt, limitNames(own, daily));
  const replacements = replacementsByIndex.get(namesAt);
  if (replacements === undefined && listing === entry.listing) return entry;
  return { ...entry, ...(replacements && replaceNames(entry, replacements)), ...(listing && { listing }) };
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

/** A listing that is beyond a limit is left out: the tools of several servers are no catalogue. Its tools one by one. */
function limitListing(listing: Listing, daily: DailyNames): Listing {
  // Our own rows, written a moment ago.
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
