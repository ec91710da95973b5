// What one journal record holds: for each table a number of rows and their bytes, ready to insert. Little-endian:
//   u8 table · u32 rows · u32 length · NDJSON, once per table that has rows.
// The journal and the sealed batch are made of these same bytes, so nothing is parsed between the fsync and the store.

import { TABLES, type TableName } from './rows.ts';

const SECTION_HEADER_BYTES = 9;

export interface TableRows {
  readonly table: TableName;
  /** One JSON object per line. */
  readonly rows: Uint8Array;
}

/** A section of a record, or of several joined. */
export interface Section extends TableRows {
  readonly rowCount: number;
}

/** @param lines rows by table, each line with its line feed */
export function encodeJournalRecord(lines: Readonly<Record<TableName, readonly string[]>>): Buffer {
  return Buffer.concat(
    TABLES.flatMap((table, index) => {
      if (lines[table].length === 0) return [];
      const rows = Buffer.from(lines[table].join(''));
      const header = Buffer.allocUnsafe(SECTION_HEADER_BYTES);
      header.writeUInt8(index, 0);
      header.writeUInt32LE(lines[table].length, 1);
      header.writeUInt32LE(rows.length, 5);
      return [header, rows];
    }),
  );
}

/** @throws Error for bytes that `encodeJournalRecord` did not make; the segment's checksum keeps damage out */
export function decodeJournalRecord(payload: Uint8Array): Section[] {
  const bytes = Buffer.from(payload.buffer, payload.byteOffset, payload.length);
  const sections: Section[] = [];
  for (let offset = 0; offset < bytes.length; ) {
    const table = TABLES[bytes.readUInt8(offset)];
    const start = offset + SECTION_HEADER_BYTES;
    const end = start + bytes.readUInt32LE(offset + 5);
    if (table === undefined || end > bytes.length) throw new Error('A journal record is of an unknown form.');
    sections.push({ table, rowCount: bytes.readUInt32LE(offset + 1), rows: bytes.subarray(start, end) });
    offset = end;
  }
  return sections;
}

/** Joins the sections of many records to one per table, in the order of TABLES. */
export function joinSections(sections: readonly Section[]): Section[] {
  return TABLES.flatMap((table) => {
    const own = sections.filter((section) => section.table === table);
    if (own.length === 0) return [];
    const rowCount = own.reduce((sum, section) => sum + section.rowCount, 0);
    return [{ table, rowCount, rows: Buffer.concat(own.map(({ rows }) => rows)) }];
  });
}
