// Reserves sequence numbers in a small file next to the segments, with the run of the service. Segments can
// be removed and a directory restored from an old copy; a number or batch token used a second time would be
// one that the store has seen and drops silently. Numbers are reserved in steps before use: one small write
// for many calls.

import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { writeDurableFile } from '../../segment-log/durable-file.ts';
import type { FileSystem } from '../../segment-log/file-system.ts';

const FILE = 'sequences';
const RESERVED = /^reserved (\d{1,16})$/;
const RUN = /^run (\d{1,16}) ([0-9a-f]{16})$/;
/** Numbers per step; after a crash up to this many are never used. */
const STEP = 100_000;

interface Run {
  /** The first number of the run. */
  readonly first: number;
  readonly id: string;
}

interface SequenceState {
  /** Every used number is below this one. */
  readonly reserved: number;
  readonly runs: readonly Run[];
}

export class SequenceRecord {
  readonly #path: string;
  readonly #fileSystem: FileSystem;
  #state: SequenceState;
  #isBegun = false;

  private constructor(path: string, fileSystem: FileSystem, state: SequenceState) {
    this.#path = path;
    this.#fileSystem = fileSystem;
    this.#state = state;
  }

  /**
   * Reads the record in a journal's directory; earlier versions have none. Rejects with the system's error.
   */
  static async open(directory: string, fileSystem: FileSystem): Promise<SequenceRecord> {
    const path = join(directory, FILE);
    const files = await fileSystem.list(directory);
    const isThere = files.some(({ name }) => name === FILE);
    const text = isThere ? Buffer.from(await fileSystem.read(path)).toString('latin1') : '';
    return new SequenceRecord(path, fileSystem, parse(text));
  }

  /** Every used number is below this one. */
  get reserved(): number {
    return this.#state.reserved;
  }

  /**
   * Begins a run; it is written with the first reservation.
   *
   * @param first the first number of the run
   * @param oldest oldest existing segment: runs without segments are dropped
   */
  begin(first: number, oldest: number): void {
    const { reserved, runs } = this.#state;
    const kept = runs.filter((run, at) => run.first < first && (runs[at + 1]?.first ?? first) > oldest);
    this.#state = { reserved, runs: [...kept, { first, id: randomBytes(8).toString('hex') }] };
    this.#isBegun = false;
  }

  /** The run that created a segment; empty for an earlier version. */
  runOf(base: number): string {
    return this.#state.runs.findLast(({ first }) => first <= base)?.id ?? '';
  }

  /** Resolves when all numbers below `next` may be used. Rejects with the system's error. */
  async reserve(next: number): Promise<void> {
    if (this.#isBegun && next <= this.#state.reserved) return;
    await this.#write(next + STEP);
    this.#isBegun = true;
  }

  /**
   * On clean shutdown: the next run begins at `next`, and no number is skipped. Rejects with the system's
   * error.
   */
  async settle(next: number): Promise<void> {
    if (this.#isBegun) await this.#write(next);
  }

  async #write(reserved: number): Promise<void> {
    const lines = [`reserved ${reserved}`, ...this.#state.runs.map(({ first, id }) => `run ${first} ${id}`)];
    await writeDurableFile(this.#path, Buffer.from(`${lines.join('\n')}\n`), this.#fileSystem);
    this.#state = { ...this.#state, reserved };
  }
}

/** Unknown lines are ignored. */
function parse(text: string): SequenceState {
  const lines = text.split('\n');
  const reserved = lines.flatMap((line) => RESERVED.exec(line)?.[1] ?? []);
  const runs = lines.flatMap((line): Run[] => {
    const [, first, id] = RUN.exec(line) ?? [];
    return first === undefined || id === undefined ? [] : [{ first: Number(first), id }];
  });
  return { reserved: Math.max(0, ...reserved.map(Number)), runs: runs.sort((a, b) => a.first - b.first) };
}
