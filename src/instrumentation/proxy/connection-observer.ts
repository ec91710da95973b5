// Turns the parts of both directions into calls and, with an active guard, into decisions about held bytes.
// Free of side effects except for its reporter.

import { findContentEnd } from '../../core/guard/content-end.ts';
import type { Instant } from '../../core/observer/observed-call.ts';
import type { CallReporter } from './call-reporter.ts';
import { type ClientLineDecision, createClientLineFilter, type SettledLine } from './client-line-filter.ts';
import { parseJsonBytes } from './lazy-params.ts';
import { createLineEditor } from './line-editor.ts';
import { createMessageTap } from './message-tap.ts';
import { MAX_PARSED_BYTES } from './parse-message-line.ts';
import type { TrafficPart, TrafficSource } from './traffic-part.ts';
import type { ForwardDecision } from './worker-messages.ts';

export interface ConnectionObserver {
  /** Returns the decisions about held bytes that are known so far. */
  take(part: TrafficPart): readonly ForwardDecision[];
  /** For parts for which there is no time: their calls are counted as lost, and all bytes pass. */
  countOnly(part: TrafficPart): readonly ForwardDecision[];
  readonly unreadLines: number;
}

export function createConnectionObserver(reporter: CallReporter): ConnectionObserver {
  let at: Instant = { wallUs: 0, monotonicMs: 0 };
  let unread = 0;
  let isHolding = false;
  const settled: ForwardDecision[] = [];
  const edited = new Map<Uint8Array, number>();
  const taps = {
    client: createMessageTap((message) => void reporter.onClientMessage(message, at, () => {})),
    server: createMessageTap((message) => reporter.onServerMessage(message, at)),
  };
  const clientFilter = createClientLineFilter({
    decide: (message, settle) => reporter.onClientMessage(message, at, settle),
    onSettled: (line) => settled.push(toLateDecision(line)),
    report: (message) => reporter.onPassedClientMessage(message, at),
    onUnread: () => {
      unread += 1;
    },
  });
  const editor = createLineEditor({
    maxBytes: MAX_PARSED_BYTES,
    isHolding: reporter.awaitsNudge,
    edit(line) {
      const instead = appendNudge(line, reporter.createNudge);
      if (instead !== undefined) edited.set(instead, line.length);
      return instead;
    },
  });

  function takeBytes({
    from,
    bytes,
    isHeld,
  }: Extract<TrafficPart, { readonly kind: 'bytes' }>): ForwardDecision[] {
    if (from === 'client') {
      if (isHeld) return withHold(clientFilter.push(bytes).map(toDecision));
      taps.client.read(bytes);
      return settled.splice(0);
    }
    const decisions = isHeld ? editor.push(bytes).map(toPassDecision) : [];
    if (!isHeld) editor.passed(bytes);
    taps.server.read(bytes);
    return withHold(decisions);
  }

  function takeEnd(from: TrafficSource): ForwardDecision[] {
    // A message is appended to the last line before the line is reported as the end of its call.
    const decisions =
      from === 'client' ? clientFilter.end().map(toDecision) : editor.end().map(toPassDecision);
    taps[from].end();
    return withHold(decisions);
  }

  function toPassDecision(piece: Uint8Array): ForwardDecision {
    const length = edited.get(piece);
    edited.delete(piece);
    const decision = { kind: 'bytes', from: 'server', length: length ?? piece.length } as const;
    return length === undefined ? decision : { ...decision, instead: piece };
  }

  /** The decision to hold comes first, because a call that passes may be answered immediately. */
  function withHold(decisions: ForwardDecision[]): ForwardDecision[] {
    const late = settled.splice(0);
    const holds = reporter.awaitsNudge();
    if (holds === isHolding) return [...decisions, ...late];
    isHolding = holds;
    return [{ kind: 'hold', isHolding }, ...decisions, ...late];
  }

  return {
    take(part) {
      if (part.kind === 'end') return takeEnd(part.from);
      if (part.kind === 'skipped') {
        taps[part.from].pass(part.length);
        return [];
      }
      at = part.at;
      if (part.kind === 'bytes') return takeBytes(part);
      taps[part.from].skip();
      reporter.countMissed(part.from, part.at);
      return [];
    },
    countOnly(part) {
      if (part.kind !== 'bytes') return [];
      const { from, at, bytes, isHeld } = part;
      taps[from].skip();
      reporter.countMissed(from, at, from === 'client' ? countLines(bytes) : 0);
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
const NO_BYTES = new Uint8Array();

function toDecision({ length, passes, answer }: ClientLineDecision): ForwardDecision {
  const kind = 'bytes';
  const from = 'client';
  if (passes) return { kind, from, length };
  return { kind, from, length, instead: NO_BYTES, ...(answer && { answer }) };
}

function toLateDecision({ kind, bytes }: SettledLine): ForwardDecision {
  if (kind === 'line') return { kind: 'late', line: bytes };
  return { kind: 'bytes', from: 'client', length: 0, instead: NO_BYTES, answer: bytes };
}

/** Appends the guard's message to the result in a line; undefined when the line stays unchanged. Never throws. */
function appendNudge(line: Uint8Array, createNudge: CallReporter['createNudge']): Uint8Array | undefined {
  try {
    return appendBlock(line, createNudge);
  } catch {
    // Not JSON, for example a banner or a damaged line; it passes unchanged.
    return undefined;
  }
}

function appendBlock(line: Uint8Array, createNudge: CallReporter['createNudge']): Uint8Array | undefined {
  const message = parseJsonBytes(line);
  const end = findContentEnd(line);
  if (end === undefined) return undefined;
  const block = createNudge(message);
  if (block === undefined) return undefined;
  const text = `${end.isEmpty ? '' : ','}${JSON.stringify(block)}`;
  return Buffer.concat([line.subarray(0, end.at), Buffer.from(text), line.subarray(end.at)]);
}
