// The journal record format: per table a number of rows and their bytes, ready to insert. Little-endian: u8
// table · u32 rows · u32 length · NDJSON, once per table that has rows. Table 255 holds the id of the
// quarantine entry that the rows come from; the entry may be deleted once the record is durable. Journal and
// sealed batch use the same bytes, so nothing is parsed between the fsync and the store.

import { type IngestPosition, renumberRow, toCallTail } from './row-position.ts';
import { TABLES, type TableName } from './rows.ts';

const SECTION_HEADER_BYTES = 9;
const REPLAYED = 255;

/** Rows of one table, each a line without its line feed. */
export interface TableLines {
  readonly table: string;
  readonly rows: readonly string[];
}

export interface TableRows {
  readonly table: TableName;
  /** One JSON object per line. */
  readonly rows: Uint8Array;
}

/** A section of a record, or of several joined. */
export interface RecordSection extends TableRows {
  readonly rowCount: number;
}

/**
 * The rows of one accepted span: a call with its payload, the listing of a server that started, a child span, or a call of the
 * agent's side.
 */
export interface JournalEntry {
  readonly traceId: string;
  readonly spanId: string;
  /** A line without the position, as `toCallHead` writes it. */
  readonly call?: Uint8Array;
  /** A line. */
  readonly payload?: Uint8Array;
  /** Lines, one for each tool. */
  readonly listing?: { readonly rows: Uint8Array; readonly rowCount: number };
  /** A line: one span of a call that was accepted before. */
  readonly childSpan?: Uint8Array;
  /** A line: a tool call as the agent reports it. */
  readonly agentCall?: Uint8Array;
}

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
  const childSpans = entries.flatMap(({ childSpan }) => childSpan ?? []);
  const agentCalls = entries.flatMap(({ agentCall }) => agentCall ?? []);
  const payload = encodeSections([
    { table: 'calls', rowCount: calls.length, rows: joinCalls(calls, first) },
    { table: 'payloads', rowCount: payloads.length, rows: Buffer.concat(payloads) },
    {
      table: 'tool_listings',
      rowCount: listings.reduce((sum, { rowCount }) => sum + rowCount, 0),
      rows: Buffer.concat(listings.map(({ rows }) => rows)),
    },
    { table: 'child_spans', rowCount: childSpans.length, rows: Buffer.concat(childSpans) },
    { table: 'agent_calls', rowCount: agentCalls.length, rows: Buffer.concat(agentCalls) },
  ]);
  return { payload, calls: calls.length };
}

/** Adds the position to each call; the last position has the longest text. */
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
 * Encodes rows from quarantine.
 *
 * @param entryId of the quarantine entry that holds the rows
 * @param first position of the first call
 */
export function encodeReplay(
  entryId: string,
  parts: readonly TableLines[],
  first: IngestPosition,
): EncodedRecord {
  const sections = TABLES.map((table) => {
    const lines = parts.flatMap((part) => (part.table === table ? part.rows : []));
    const rows =
      table === 'calls'
        ? lines.map((row, at) => renumberRow(row, { ...first, ingestSeq: first.ingestSeq + at }))
        : lines;
    return { table, rowCount: rows.length, rows: Buffer.from(rows.map((row) => `${row}\n`).join('')) };
  });
  const id = Buffer.from(entryId);
  const payload = Buffer.concat([encodeHeader(REPLAYED, 0, id), id, encodeSections(sections)]);
  return { payload, calls: sections.find(({ table }) => table === 'calls')?.rowCount ?? 0 };
}

/** Encodes sections in the order of TABLES; those without rows are left out. */
function encodeSections(sections: readonly RecordSection[]): Buffer {
  return Buffer.concat(
    sections.flatMap(({ table, rowCount, rows }) =>
      rowCount === 0 ? [] : [encodeHeader(TABLES.indexOf(table), rowCount, rows), rows],
    ),
  );
}

/** @returns the quarantine entry of a record's rows, or undefined for rows from a sender */
export function readReplayedEntryId(payload: Uint8Array): string | undefined {
  if (payload[0] !== REPLAYED) return undefined;
  const bytes = Buffer.from(payload.buffer, payload.byteOffset, payload.length);
  return bytes.toString('utf8', SECTION_HEADER_BYTES, SECTION_HEADER_BYTES + bytes.readUInt32LE(5));
}

function encodeHeader(table: number, rowCount: number, rows: Uint8Array): Buffer {
  const header = Buffer.allocUnsafe(SECTION_HEADER_BYTES);
  header.writeUInt8(table, 0);
  header.writeUInt32LE(rowCount, 1);
  header.writeUInt32LE(rows.length, 5);
  return header;
}

/** @throws Error for bytes of another format; the segment's checksum detects damage */
export function decodeJournalRecord(payload: Uint8Array): RecordSection[] {
  const bytes = Buffer.from(payload.buffer, payload.byteOffset, payload.length);
  const sections: RecordSection[] = [];
  for (let offset = 0; offset < bytes.length; ) {
    const index = bytes.readUInt8(offset);
    const table = TABLES[index];
    const start = offset + SECTION_HEADER_BYTES;
    const end = start + bytes.readUInt32LE(offset + 5);
    if (index === REPLAYED) {
      offset = end;
      continue;
    }
    if (table === undefined || end > bytes.length) throw new Error('A journal record has an unknown format.');
    sections.push({ table, rowCount: bytes.readUInt32LE(offset + 1), rows: bytes.subarray(start, end) });
    offset = end;
  }
  return sections;
}

/** Joins the sections of many records to one per table, in the order of TABLES. */
export function joinSections(sections: readonly RecordSection[]): RecordSection[] {
  return TABLES.flatMap((table) => {
    const own = sections.filter((section) => section.table === table);
    if (own.length === 0) return [];
    const rowCount = own.reduce((sum, section) => sum + section.rowCount, 0);
    return [{ table, rowCount, rows: Buffer.concat(own.map(({ rows }) => rows)) }];
  });
}
