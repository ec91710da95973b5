// What the observing thread makes of the parts of two directions: calls, and, with a guard that acts, rulings about what is
// held. Pure but for its reporter.

import type { Instant } from '../../core/observer/observed-call.ts';
import type { CallReporter } from './call-reporter.ts';
import { createLineEditor } from './line-editor.ts';
import { createMessageTap } from './message-tap.ts';
import { nudgeLine } from './nudge-line.ts';
import { MAX_PARSED_BYTES } from './read-line.ts';
import type { Part, Ruling, Sender } from './thread-messages.ts';
import { createUpwardGate, type UpwardRuling } from './upward-gate.ts';

export interface ConnectionObserver {
  /** Takes the next part. @returns what becomes of the bytes that are held, as far as it is known now */
  take(part: Part): readonly Ruling[];
  /** Takes it as one that nobody has time to read: calls that began in it are counted as lost, and all of it passes. */
  count(part: Part): readonly Ruling[];
  readonly unreadLines: number;
}

/** Creates the observer of one connection. */
export function observeConnection(reporter: CallReporter): ConnectionObserver {
  let at: Instant = { wallUs: 0, monotonicMs: 0 };
  let unread = 0;
  let isHolding = false;
  const edited = new Map<Uint8Array, number>();
  const taps = {
    client: createMessageTap((message) => void reporter.fromClient(message, at)),
    server: createMessageTap((message) => reporter.fromServer(message, at)),
  };
  const gate = createUpwardGate({
    ask: (message) => reporter.fromClient(message, at),
    report: (message) => reporter.passedFromClient(message, at),
    unread: () => {
      unread += 1;
    },
  });
  const editor = createLineEditor({
    maxBytes: MAX_PARSED_BYTES,
    isWaiting: reporter.awaitsNudge,
    edit(line) {
      const instead = nudgeLine(line, reporter.blockFor);
      if (instead !== undefined) edited.set(instead, line.length);
      return instead;
    },
  });

  function takeBytes({ from, bytes, isHeld }: Extract<Part, { readonly kind: 'bytes' }>): Ruling[] {
    if (from === 'client') {
      if (isHeld) return withHold(gate.push(bytes).map(toRuling));
      taps.client.read(bytes);
      return [];
    }
    const rulings = isHeld ? editor.push(bytes).map(toPassing) : [];
    if (!isHeld) editor.passed(bytes);
    taps.server.read(bytes);
    return withHold(rulings);
  }

  function takeEnd(from: Sender): Ruling[] {
    // A word goes into the last line before anybody takes it for the end of its call.
    const rulings = from === 'client' ? gate.end().map(toRuling) : editor.end().map(toPassing);
    taps[from].end();
    return withHold(rulings);
  }

  function toPassing(piece: Uint8Array): Ruling {
    const length = edited.get(piece);
    edited.delete(piece);
    const from = 'server';
    return length === undefined
      ? { kind: 'bytes', from, length: piece.length }
      : { kind: 'bytes', from, length, instead: piece };
  }

  /** Says first whether the server's lines are held from now on: a call that passes may be answered at once. */
  function withHold(rulings: Ruling[]): Ruling[] {
    const holds = reporter.awaitsNudge();
    if (holds === isHolding) return rulings;
    isHolding = holds;
    return [{ kind: 'hold', isHolding }, ...rulings];
  }

  return {
    take(part) {
      if (part.kind === 'end') return takeEnd(part.from);
      at = part.at;
      if (part.kind === 'bytes') return takeBytes(part);
      taps[part.from].skip();
      reporter.missed(part.from, part.at);
      return [];
    },
    count(part) {
      if (part.kind !== 'bytes') return [];
      const { from, at, bytes, isHeld } = part;
      taps[from].skip();
      reporter.missed(from, at, from === 'client' ? countLines(bytes) : 0);
      return isHeld ? [{ kind: 'bytes', from, length: bytes.length }] : [];
    },
    get unreadLines() {
      return unread + taps.client.unread + taps.server.unread;
    },
  };
}

function countLines(bytes: Uint8Array): number {
  let lines = 0;
  for (let at = bytes.indexOf(LF); at >= 0; at = bytes.indexOf(LF, at + 1)) lines += 1;
  return lines;
}

const LF = 0x0a;
const NOTHING = new Uint8Array();

function toRuling({ length, passes, answer }: UpwardRuling): Ruling {
  const kind = 'bytes';
  const from = 'client';
  if (passes) return { kind, from, length };
  return { kind, from, length, instead: NOTHING, ...(answer && { answer }) };
}
