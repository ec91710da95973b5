// Encodes entries, or rows replayed from quarantine, as a journal record with consecutive positions.

import type { JournalEntry } from './journal-entry.ts';
import { encodeReplayedRecord, encodeSections } from './journal-record.ts';
import type { TableLines } from './quarantine.ts';
import { renumberRow } from './renumber-row.ts';
import { type IngestPosition, type TableName, toCallTail } from './rows.ts';

export interface EncodedRecord {
  readonly payload: Buffer;
  /** Number of positions used, from the given one on. */
  readonly calls: number;
}

/** @param first position of the first call */
export function encodeEntries(entries: readonly JournalEntry[], first: IngestPosition): EncodedRecord {
  const calls = entries.flatMap(({ call }) => call ?? []);
  const payloads = entries.flatMap(({ payload }) => payload ?? []);
  const listings = entries.flatMap(({ listing }) => listing ?? []);
  const payload = encodeSections([
    { table: 'calls', rowCount: calls.length, rows: joinCalls(calls, first) },
    { table: 'payloads', rowCount: payloads.length, rows: Buffer.concat(payloads) },
    {
      table: 'tool_listings',
      rowCount: listings.reduce((sum, { rowCount }) => sum + rowCount, 0),
      rows: Buffer.concat(listings.map(({ rows }) => rows)),
    },
  ]);
  return { payload, calls: calls.length };
}

/** Lines of calls from their heads, each with its position; the last position has the longest text. */
function joinCalls(heads: readonly Uint8Array[], first: IngestPosition): Uint8Array {
  const longest = toCallTail({ ...first, ingestSeq: first.ingestSeq + heads.length }).length;
  const rows = Buffer.allocUnsafe(heads.reduce((sum, head) => sum + head.length + longest, 0));
  let at = 0;
  heads.forEach((head, index) => {
    rows.set(head, at);
    const tail = toCallTail({ ...first, ingestSeq: first.ingestSeq + index });
    at += head.length + rows.write(tail, at + head.length, 'latin1');
  });
  return rows.subarray(0, at);
}

/**
 * @param entryId of the quarantine entry that holds the rows
 * @param first position of the first call
 */
export function encodeReplay(
  entryId: string,
  parts: readonly TableLines[],
  first: IngestPosition,
): EncodedRecord {
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
  return { payload: encodeReplayedRecord(entryId, lines), calls: calls.length };
}

function toLine(row: string): string {
  return `${row}\n`;
}
