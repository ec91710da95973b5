// What a journal record holds of some entries, or of rows that come back from quarantine, with the positions that follow
// one another from a given one on.

import type { Entry } from './journal.ts';
import { encodeJournalRecord, encodeReshipped } from './journal-record.ts';
import type { RowLines } from './quarantine.ts';
import { renumberRow } from './renumber-row.ts';
import { type Position, type TableName, toCallRow, toListingRows, toPayloadRow } from './rows.ts';

export interface EncodedRecord {
  readonly payload: Buffer;
  /** Positions it takes, from the given one on. */
  readonly calls: number;
}

/** @param first position of the first call */
export function encodeEntries(entries: readonly Entry[], first: Position): EncodedRecord {
  const calls: string[] = [];
  const payloads: string[] = [];
  const tool_listings: string[] = [];
  for (const entry of entries) {
    const { call, payload, listing } = entry;
    if (call) calls.push(toCallRow(call, { ...first, ingestSeq: first.ingestSeq + calls.length }));
    if (call && payload) payloads.push(toPayloadRow(call, payload));
    if (listing) tool_listings.push(...toListingRows(listing, entry));
  }
  return { payload: encodeJournalRecord({ calls, payloads, tool_listings }), calls: calls.length };
}

/**
 * @param entryId of the quarantine entry that the rows come from
 * @param first position of the first call
 */
export function encodeTakenBack(entryId: string, parts: readonly RowLines[], first: Position): EncodedRecord {
  const rowsOf = (table: TableName): string[] =>
    parts.flatMap((part) => (part.table === table ? part.rows : []));
  const calls = rowsOf('calls').map((row, at) =>
    renumberRow(row, { ...first, ingestSeq: first.ingestSeq + at }),
  );
  const lines = {
    calls: calls.map(toLine),
    payloads: rowsOf('payloads').map(toLine),
    tool_listings: rowsOf('tool_listings').map(toLine),
  };
  return { payload: encodeReshipped(entryId, lines), calls: calls.length };
}

function toLine(row: string): string {
  return `${row}\n`;
}
