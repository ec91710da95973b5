// Reads JSON-RPC messages from a copy of a pipe. Other lines are only counted, because servers also print
// banners.

import { createLineReader } from './line-reader.ts';
import { type Outline, OutlineScanner } from './outline-scanner.ts';
import { toOutlinedMessage } from './outlined-message.ts';
import { isIgnoredNotification, MAX_PARSED_BYTES, parseMessageLine } from './parse-message-line.ts';

export interface MessageTap {
  read(chunk: Uint8Array): void;
  /** Bytes in the middle of an overlong line that are not needed. */
  pass(length: number): void;
  skip(): void;
  end(): void;
  /** Lines that were not JSON objects or arrays, or had missing bytes. */
  readonly unread: number;
}

/** @param onMessage receives each message, a long one as an outline; its exceptions are ignored */
export function createMessageTap(onMessage: (parsed: unknown) => void): MessageTap {
  let unread = 0;
  let scanner: OutlineScanner | undefined;
  /** Of a long line, once the rest of it says nothing more. */
  let settled: Outline | undefined;
  /** The end of a long line, after its middle was left out. */
  let tail: Uint8Array[] | undefined;

  function emit(parsed: unknown): void {
    try {
      onMessage(parsed);
    } catch {
      // An error in our own code: the line yields no call.
      unread += 1;
    }
  }

  function emitOutline(outline: Outline, bytes: number): void {
    const outlined = toOutlinedMessage(outline);
    if (outlined === undefined) {
      unread += 1;
      return;
    }
    outlined.setBytes(bytes);
    emit(outlined.message);
  }

  function forgetLongLine(): void {
    scanner = undefined;
    settled = undefined;
    tail = undefined;
  }

  const lines = createLineReader({
    maxBytes: MAX_PARSED_BYTES,
    onLine(bytes) {
      const read = parseMessageLine(bytes);
      if (read.kind === 'message') emit(read.message);
      else if (read.kind === 'outline') emitOutline(read.outline, bytes.length);
      else if (read.kind === 'unread') unread += 1;
    },
    onLongPiece(piece) {
      if (settled !== undefined) return;
      if (tail !== undefined) {
        tail.push(piece);
        return;
      }
      scanner ??= new OutlineScanner();
      scanner.scan(piece);
      const outline = scanner.outline();
      if (isSettled(outline)) settled = outline;
    },
    onLongPassed() {
      tail = [];
    },
    onLongEnd(length) {
      if (tail !== undefined) scanner?.scanTail(Buffer.concat(tail));
      const outline = settled ?? scanner?.outline();
      forgetLongLine();
      if (outline !== undefined) emitOutline(outline, length);
    },
    onBroken() {
      forgetLongLine();
      unread += 1;
    },
  });
  return {
    read: lines.push,
    pass: lines.pass,
    skip: lines.skip,
    end: lines.end,
    get unread() {
      return unread;
    },
  };
}

function isSettled(outline: Outline): boolean {
  const { id, method, name } = outline;
  if (isIgnoredNotification(outline)) return true;
  return id !== undefined && method !== undefined && name !== undefined;
}
