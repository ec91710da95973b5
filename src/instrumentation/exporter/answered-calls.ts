// Calls that were answered and are not described yet, on disk from the turn of their answer on: clients kill a stdio server right
// after it. A record is a span without values, as it would be sent; whoever adopts the file sends it, and the receiver counts a
// call that it has already once. A call leaves the file when it is acknowledged, in the spool, or counted as lost. Nothing throws:
// after a disk error, calls wait in memory only.

import { closeSync, ftruncateSync, mkdirSync, statSync, unlinkSync, writeSync } from 'node:fs';
import type { EncodedSpan } from '../../core/otlp/encode-json.ts';
import { HEADER_BYTES } from '../../segment-log/frame.ts';
import { encodeSpan, type OpenSpoolSegment, openLastSegmentSync } from './spool-segment.ts';

/** An answered call; `file` is undefined once it needs no file any more. */
export interface AnsweredCall {
  file: AnsweredFile | undefined;
}

interface AnsweredFile extends OpenSpoolSegment {
  /** Its calls that are nowhere else. */
  waiting: number;
}

/** Adopted as one request. */
const MAX_FILE_BYTES = 256 * 1024;
/** Milliseconds after a disk error before the next attempt. */
const BACKOFF_MS = 10_000;
const DIRECTORY_MODE = 0o700;

export class AnsweredCalls {
  readonly #directory: string;
  readonly #folder: string;
  #current: AnsweredFile | undefined;
  #isReady = false;
  #backoffUntilMs = 0;

  /** @param folder the folder of one receiver in the spool directory; created on first use */
  constructor({ directory, folder }: { readonly directory: string; readonly folder: string }) {
    this.#directory = directory;
    this.#folder = folder;
  }

  /** Appends a call, in one write; undefined when it could not. */
  append(span: EncodedSpan): AnsweredCall | undefined {
    if (performance.now() < this.#backoffUntilMs) return undefined;
    try {
      this.#current ??= this.#open();
      const file = this.#current;
      const frame = encodeSpan(file.segment, span);
      if (writeSync(file.file, frame, 0, frame.length, file.segment.bytes) < frame.length)
        throw new Error('no space');
      file.segment.bytes += frame.length;
      file.waiting += 1;
      if (file.segment.bytes >= MAX_FILE_BYTES) this.#current = undefined;
      return { file };
    } catch {
      this.#giveUp();
      return undefined;
    }
  }

  /** Says that a call is safe elsewhere, or lost and counted. */
  settle(call: AnsweredCall | undefined): void {
    const file = call?.file;
    if (call === undefined || file === undefined) return;
    call.file = undefined;
    file.waiting -= 1;
    if (file.waiting > 0) return;
    if (file === this.#current) this.#empty(file);
    else remove(file);
  }

  /** Removes the file that holds no call; those that do stay for whoever adopts them. */
  close(): void {
    const file = this.#current;
    this.#current = undefined;
    if (file?.waiting === 0) remove(file);
  }

  #open(): AnsweredFile {
    if (!this.#isReady) mkdirSync(this.#folder, { recursive: true, mode: DIRECTORY_MODE });
    const isOwn = process.getuid === undefined || statSync(this.#directory).uid === process.getuid();
    if (!isOwn) throw new Error('the directory is not ours');
    this.#isReady = true;
    return { ...openLastSegmentSync(this.#folder), waiting: 0 };
  }

  #empty(file: AnsweredFile): void {
    try {
      ftruncateSync(file.file, HEADER_BYTES);
      file.segment.bytes = HEADER_BYTES;
    } catch {
      this.#giveUp();
    }
  }

  #giveUp(): void {
    this.#backoffUntilMs = performance.now() + BACKOFF_MS;
    this.#isReady = false;
    const file = this.#current;
    this.#current = undefined;
    if (file?.waiting === 0) remove(file);
    else if (file !== undefined) cutOff(file);
  }
}

/** A reader would count an unfinished record as a loss. */
function cutOff({ file, segment }: AnsweredFile): void {
  try {
    ftruncateSync(file, segment.bytes);
  } catch {
    // Nothing more can be done on that disk.
  }
}

function remove({ file, segment }: AnsweredFile): void {
  try {
    closeSync(file);
    unlinkSync(segment.path);
  } catch {
    // Already removed to free space.
  }
}
