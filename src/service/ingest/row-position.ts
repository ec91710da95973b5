// The position of a call in the journal, which ends its row in `calls`: writing, replacing and reading it.

/** Position of a call in an ingest node's sequence. */
export interface IngestPosition {
  readonly ingestNode: string;
  readonly ingestSeq: number;
  /** As `formatDateTime64` writes it. */
  readonly ingestedAt: string;
}

/** The end of a row. It is ASCII and needs no escaping. */
export function toCallTail({ ingestNode, ingestSeq, ingestedAt }: IngestPosition): string {
  return `,"ingest_node":"${ingestNode}","ingest_seq":${ingestSeq},"ingested_at":"${ingestedAt}"}\n`;
}

const POSITION = /,"ingest_node":"[^"]*","ingest_seq":\d+,"ingested_at":"([^"]*)"\}\s*$/;

/**
 * Replaces the position of a row. A line of any other form stays unchanged; the store rejects it.
 *
 * @param row one line without its line feed
 */
export function renumberRow(row: string, position: IngestPosition): string {
  const at = POSITION.exec(row)?.index;
  return at === undefined ? row : row.slice(0, at) + toCallTail(position).trimEnd();
}

/** @returns when the last call of these rows was accepted, in epoch milliseconds */
export function readIngestedAt(rows: Uint8Array): number | undefined {
  const text = POSITION.exec(Buffer.from(rows.subarray(-200)).toString())?.[1];
  const ms = text === undefined ? Number.NaN : Date.parse(`${text.slice(0, 23).replace(' ', 'T')}Z`);
  return Number.isNaN(ms) ? undefined : ms;
}
