// Renumbers a row of `calls` for a new journal position, and reads its ingestion time. `toCallRow` writes the
// rows in a fixed order of fields; a line of any other form stays unchanged and is left for the store to
// reject.

import type { RecordSection } from './journal-record.ts';
import type { IngestPosition } from './rows.ts';

const POSITION = /"ingest_node":"[^"]*","ingest_seq":\d+,"ingested_at":"([^"]*)"\}\s*$/;

/** @param row one line without its line feed */
export function renumberRow(row: string, { ingestNode, ingestSeq, ingestedAt }: IngestPosition): string {
  const at = POSITION.exec(row)?.index;
  if (at === undefined) return row;
  const position = JSON.stringify({
    ingest_node: ingestNode,
    ingest_seq: ingestSeq,
    ingested_at: ingestedAt,
  });
  return row.slice(0, at) + position.slice(1);
}

/** \n@returns when the last call of a section was accepted, in epoch milliseconds */
export function readIngestedAt({ rows }: RecordSection): number | undefined {
  const text = POSITION.exec(Buffer.from(rows.subarray(-200)).toString())?.[1];
  const ms = text === undefined ? Number.NaN : Date.parse(`${text.slice(0, 23).replace(' ', 'T')}Z`);
  return Number.isNaN(ms) ? undefined : ms;
}
