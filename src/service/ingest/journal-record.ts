// The journal record format: per table a number of rows and their bytes, ready to insert. Little-endian: u8
// table · u32 rows · u32 length · NDJSON, once per table that has rows. Table 255 holds the id of the
// quarantine entry that the rows come from; the entry may be deleted once the record is durable. Journal and
// sealed batch use the same bytes, so nothing is parsed between the fsync and the store.

import { TABLES, type TableName } from './rows.ts';

const SECTION_HEADER_BYTES = 9;
const REPLAYED = 255;

export interface TableRows {
  readonly table: TableName;
  /** One JSON object per line. */
  readonly rows: Uint8Array;
}

/** A section of a record, or of several joined. */
export interface RecordSection extends TableRows {
  readonly rowCount: number;
}

/** Rows by table, each line with its line feed. */
export type LinesByTable = Readonly<Record<TableName, readonly string[]>>;

export function encodeJournalRecord(lines: LinesByTable): Buffer {
  return encodeSections(
    TABLES.map((table) => ({
      table,
      rowCount: lines[table].length,
      rows: Buffer.from(lines[table].join('')),
    })),
  );
}

/** Encodes sections in the order of TABLES; those without rows are left out. */
export function encodeSections(sections: readonly RecordSection[]): Buffer {
  return Buffer.concat(
    sections.flatMap(({ table, rowCount, rows }) =>
      rowCount === 0 ? [] : [encodeHeader(TABLES.indexOf(table), rowCount, rows), rows],
    ),
  );
}

/** A record of rows from quarantine. */
export function encodeReplayedRecord(entryId: string, lines: LinesByTable): Buffer {
  const id = Buffer.from(entryId);
  return Buffer.concat([encodeHeader(REPLAYED, 0, id), id, encodeJournalRecord(lines)]);
}

/** \n@returns the quarantine entry of a record's rows, or undefined for rows from a sender */
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

/**
 * @throws Error for bytes that `encodeJournalRecord` did not produce; the segment's checksum detects damage
 */
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
    if (table === undefined || end > bytes.length) throw new Error('A journal record is of an unknown form.');
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
