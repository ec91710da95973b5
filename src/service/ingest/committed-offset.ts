// The offset up to which this node's batches have reached the store. Batches are written in order and one at
// a time, so everything up to the last call of the last batch is stored or quarantined; later calls may be
// partially stored.

import type { BatchSink } from './batch-sink.ts';

/** The calls of one batch. */
export interface StoredCalls {
  readonly count: number;
  /** Position of the last call; 0 if there are none. */
  readonly lastSeq: number;
}

export class CommittedOffset {
  #position = 0;
  #storedCalls = 0;
  /** Called when there is more to read. MUST NOT throw. */
  onAdvance: () => void = () => undefined;

  get position(): number {
    return this.#position;
  }

  /** Calls written since the start. */
  get storedCalls(): number {
    return this.#storedCalls;
  }

  recordBatch({ count, lastSeq }: StoredCalls): void {
    this.#storedCalls += count;
    this.advanceTo(lastSeq);
    this.onAdvance();
  }

  advanceTo(position: number): void {
    this.#position = Math.max(this.#position, position);
  }
}

const NEWLINE = 0x0a;

/** Wraps a sink to report the calls it stored; the result is unchanged. */
export function withStoredListener(sink: BatchSink, onStored: (calls: StoredCalls) => void): BatchSink {
  return {
    async insert(batch) {
      const result = await sink.insert(batch);
      if (result.status !== 'retryable') onStored(toStoredCalls(batch.tables.find(isCallsTable)?.rows));
      return result;
    },
  };
}

function isCallsTable({ table }: { readonly table: string }): boolean {
  return table === 'calls';
}

function toStoredCalls(rows: Uint8Array = new Uint8Array()): StoredCalls {
  let count = 0;
  let lineStart = 0;
  for (let at = rows.indexOf(NEWLINE); at !== -1; at = rows.indexOf(NEWLINE, at + 1)) {
    count += 1;
    if (at + 1 < rows.length) lineStart = at + 1;
  }
  return { count, lastSeq: readSeq(Buffer.from(rows.subarray(lineStart)).toString()) };
}

/** \n@param line the last row of a batch, as written by this service */
function readSeq(line: string): number {
  const seq: unknown = line.trim() === '' ? 0 : JSON.parse(line).ingest_seq;
  return typeof seq === 'number' ? seq : 0;
}
