// Calls that were answered and are not described yet, on disk from the turn of their answer on: clients kill a stdio server right
// after it. A record says which call it was, when, and how large its values were; whoever adopts the file sends spans without
// values, and the receiver counts a call that it has already once. A call leaves the file when it is acknowledged, in the spool, or
// counted as lost. Nothing throws: after a disk error, calls wait in memory only.

import { closeSync, ftruncateSync, mkdirSync, statSync, unlinkSync, writeSync } from 'node:fs';
import type { CallTemplate } from '../../core/dialects/answered-call-json.ts';
import {
  createTextFrameWriter,
  FRAME_BYTES,
  HEADER_BYTES,
  type TextFrameWriter,
} from '../../segment-log/frame.ts';
import { toCallLine, toCallsText, toTemplateText } from './answered-record.ts';
import { type OpenSpoolSegment, openLastSegmentSync } from './spool-segment.ts';

/** An answered call; `file` is undefined once it needs no file any more. */
export interface AnsweredCall {
  file: AnsweredFile | undefined;
}

/** What is written of an answered call: its fields in a template, or by itself an item of `resourceSpans`. */
export type AnsweredRecord =
  | { readonly template: CallTemplate; readonly fieldsText: string }
  | { readonly item: string };

interface AnsweredFile extends OpenSpoolSegment {
  readonly writeFrame: TextFrameWriter;
  /** Those in the file, with their numbers. */
  readonly templates: Map<CallTemplate, number>;
  /** Its calls that are nowhere else. */
  waiting: number;
  /** UTF-16 units of the request that the file is adopted as. */
  requestLength: number;
}

/** Adopted as one request. */
const MAX_REQUEST_LENGTH = 512 * 1024;
/** Calls that are answered within this time (ms) of a write wait for the end of the turn, as long as there is another. */
const WRITE_EVERY_MS = 1;
/** Milliseconds after a disk error before the next attempt. */
const BACKOFF_MS = 10_000;
const DIRECTORY_MODE = 0o700;
const BUFFER_BYTES = 64 * 1024;
/** UTF-8 bytes of a UTF-16 unit. */
const MAX_UNIT_BYTES = 3;

export class AnsweredCalls {
  readonly #directory: string;
  readonly #folder: string;
  #current: AnsweredFile | undefined;
  #isReady = false;
  #backoffUntilMs = 0;
  /** Made with the first call, and used for every write. */
  #buffer: Buffer | undefined;
  /** Calls of the current file that wait for the end of the turn, and their lines. */
  #unwritten: AnsweredCall[] = [];
  #unwrittenLines = '';
  #writtenMs = 0;
  #isWriteScheduled = false;

  /** @param folder the folder of one receiver in the spool directory; created on first use */
  constructor({ directory, folder }: { readonly directory: string; readonly folder: string }) {
    this.#directory = directory;
    this.#folder = folder;
  }

  /**
   * Appends a call; undefined when it could not.
   * @param isLast whether no other call is unanswered: then it is written at once, before its answer leaves. Otherwise the client
   * waits for more, and calls that are answered in one turn share a write at its end.
   */
  append(record: AnsweredRecord, isLast: boolean): AnsweredCall | undefined {
    const nowMs = performance.now();
    if (nowMs < this.#backoffUntilMs) return undefined;
    try {
      this.#current ??= this.#open();
      const call = { file: this.#add(this.#current, record) };
      this.#unwritten.push(call);
      if (isLast || nowMs - this.#writtenMs > WRITE_EVERY_MS) this.#write(nowMs);
      else this.#scheduleWrite();
      return call.file && call;
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
    this.#writeRest();
    const file = this.#current;
    this.#current = undefined;
    if (file?.waiting === 0) remove(file);
  }

  #open(): AnsweredFile {
    if (!this.#isReady) mkdirSync(this.#folder, { recursive: true, mode: DIRECTORY_MODE });
    const isOwn = process.getuid === undefined || statSync(this.#directory).uid === process.getuid();
    if (!isOwn) throw new Error('the directory is not ours');
    this.#isReady = true;
    const opened = openLastSegmentSync(this.#folder);
    const writeFrame = createTextFrameWriter(opened.segment.base);
    return { ...opened, writeFrame, templates: new Map(), waiting: 0, requestLength: 0 };
  }

  #add(file: AnsweredFile, record: AnsweredRecord): AnsweredFile {
    if ('item' in record) {
      this.#append(file, 1, record.item);
      file.requestLength += record.item.length;
    } else {
      const number = file.templates.get(record.template) ?? this.#addTemplate(file, record.template);
      this.#unwrittenLines += toCallLine(number, record.fieldsText);
      file.requestLength += record.fieldsText.length + toLength(record.template);
    }
    file.waiting += 1;
    return file;
  }

  #addTemplate(file: AnsweredFile, template: CallTemplate): number {
    const number = file.templates.size;
    this.#append(file, 0, toTemplateText(number, template));
    file.templates.set(template, number);
    return number;
  }

  #scheduleWrite(): void {
    if (this.#isWriteScheduled) return;
    this.#isWriteScheduled = true;
    process.nextTick(() => {
      this.#isWriteScheduled = false;
      this.#writeRest();
    });
  }

  #writeRest(): void {
    try {
      this.#write(performance.now());
    } catch {
      this.#giveUp();
    }
  }

  #write(nowMs: number): void {
    const file = this.#current;
    if (file === undefined || this.#unwritten.length === 0) return;
    this.#writtenMs = nowMs;
    const lines = this.#unwrittenLines;
    this.#unwrittenLines = '';
    if (lines !== '') this.#append(file, countLines(lines), toCallsText(lines));
    this.#unwritten = [];
    if (file.requestLength >= MAX_REQUEST_LENGTH) this.#current = undefined;
  }

  /** One write. Throws when the disk does not take all of it. */
  #append({ segment, file, writeFrame }: AnsweredFile, count: number, text: string): void {
    const maxBytes = FRAME_BYTES + text.length * MAX_UNIT_BYTES;
    this.#buffer ??= Buffer.allocUnsafe(BUFFER_BYTES);
    const buffer = maxBytes <= BUFFER_BYTES ? this.#buffer : Buffer.allocUnsafe(maxBytes);
    const length = writeFrame(buffer, 0, { count, text });
    if (writeSync(file, buffer, 0, length, segment.bytes) < length) throw new Error('no space');
    segment.bytes += length;
  }

  #empty(file: AnsweredFile): void {
    try {
      ftruncateSync(file.file, HEADER_BYTES);
      file.segment.bytes = HEADER_BYTES;
      file.templates.clear();
      file.requestLength = 0;
    } catch {
      this.#giveUp();
    }
  }

  /** Calls that could not be written wait in memory only. */
  #giveUp(): void {
    this.#backoffUntilMs = performance.now() + BACKOFF_MS;
    this.#isReady = false;
    const file = this.#current;
    this.#current = undefined;
    for (const call of this.#unwritten) {
      if (call.file !== undefined) call.file.waiting -= 1;
      call.file = undefined;
    }
    this.#unwritten = [];
    this.#unwrittenLines = '';
    if (file?.waiting === 0) remove(file);
    else if (file !== undefined) cutOff(file);
  }
}

function toLength(template: CallTemplate): number {
  return template.reduce((sum, piece) => sum + piece.length, 0);
}

function countLines(lines: string): number {
  let count = 0;
  for (let at = lines.indexOf('\n'); at >= 0; at = lines.indexOf('\n', at + 1)) count += 1;
  return count;
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
