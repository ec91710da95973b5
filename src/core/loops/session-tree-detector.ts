// Detects loops of a whole agent run: its sessions repeat requests that the run already has answers to, although each
// session alone repeats itself little.
//
// A call counts as a repeat if the run had the same answer to the same request at least twice, from calls that ended before
// this one began, and the session itself had it twice as well, or the run had it six times: reading the same few files
// once or twice at its start is normal. Short acknowledgements, answers without a fingerprint and polls never count.

import { hashText } from '../model/hash-text.ts';
import { BoundedMap } from '../values/bounded-map.ts';
import { identifyCall } from './call-identity.ts';
import type { EvidenceCall, LoopFinding } from './finding.ts';
import { formatTools } from './finding-text.ts';
import type { LoopCall } from './loop-call.ts';
import { NO_FINDING, type OpenFinding, toLoopFinding } from './open-finding.ts';
import { DEFAULT_THRESHOLDS } from './thresholds.ts';

/** A finding about a run of several sessions. */
export interface SessionTreeFinding extends LoopFinding {
  readonly kind: 'nothing_new';
  /** Sessions whose calls were repeats. */
  readonly sessions: readonly string[];
  /** The calls that prove it. */
  readonly evidenceCalls: readonly LoopCall[];
}

const WINDOW_SIZE = 48;
const MIN_SUSPECTED_REPEATS = 12;
const MIN_CONFIRMED_REPEATS = 24;
const MIN_REQUESTS = 4;
const MIN_SESSIONS = 2;
/** Answers in the run before a call counts, and after which it counts for every session. */
const MIN_TREE_ANSWERS = 2;
const MANY_TREE_ANSWERS = 6;
/** Answers that the session itself must have had before. */
const MIN_OWN_ANSWERS = 2;
const MAX_REQUESTS = 48;
const MAX_OWN_COUNTS = 96;
const MAX_SESSIONS = 24;
const MAX_EVIDENCE_CALLS = 8;
const POLL_PAUSE_US = DEFAULT_THRESHOLDS.pollPauseMs * 1000;

/** One of the newest calls; the session is a hash. */
interface TreeCall {
  readonly counts: boolean;
  readonly request: number;
  readonly session: number;
}

interface OpenTreeFinding extends OpenFinding {
  readonly requests: number;
  readonly evidenceCalls: readonly LoopCall[];
}

/** Fed with the calls of all sessions of one run, in order of arrival. Keeps at most 32 KiB. */
export class SessionTreeDetector {
  readonly #ends = new BoundedMap<number, readonly number[]>(MAX_REQUESTS);
  readonly #own = new BoundedMap<number, number>(MAX_OWN_COUNTS);
  readonly #names = new Map<number, string>();
  readonly #last = new BoundedMap<number, { readonly request: number; readonly startedAtUs: number }>(
    MAX_SESSIONS,
  );
  readonly #window: TreeCall[] = [];
  readonly #evidence: EvidenceCall[] = [];
  readonly #evidenceCalls: LoopCall[] = [];
  /** Start of the first repeat; 0 if there is none. */
  #sinceUs = 0;
  #wasted = { calls: 0, us: 0, bytes: 0 };
  #calls = 0;
  #open: OpenTreeFinding | undefined;
  #ordinal = 0;

  /** @returns the finding if it began, grew or ended with this call */
  feed(session: string, call: LoopCall): SessionTreeFinding | undefined {
    const index = this.#calls++;
    const who = shortHash(session, 0);
    if (this.#names.size < MAX_SESSIONS) this.#names.set(who, session);
    const request = requestHashOf(call);
    const counts = request !== 0 && this.#isRepeat(request, who, call);
    if (request !== 0) this.#recordRequest(request, who, call);
    this.#window.push({ counts, request, session: who });
    if (this.#window.length > WINDOW_SIZE) this.#window.shift();
    if (counts) this.#recordWaste(call, index);
    return this.#updateFinding(call, { index, counts });
  }

  #isRepeat(request: number, who: number, call: LoopCall): boolean {
    const last = this.#last.get(who);
    const isPoll = last?.request === request && call.startedAtUs - last.startedAtUs >= POLL_PAUSE_US;
    const before = this.#ends.get(request)?.filter((endUs) => endUs <= call.startedAtUs).length ?? 0;
    const own = this.#own.get(shortHash(String(who), request)) ?? 0;
    return !isPoll && before >= MIN_TREE_ANSWERS && (own >= MIN_OWN_ANSWERS || before >= MANY_TREE_ANSWERS);
  }

  #recordRequest(request: number, who: number, call: LoopCall): void {
    const ends = this.#ends.get(request) ?? [];
    // Pushing to the list would allocate capacity for seventeen.
    const value = ends.length < MANY_TREE_ANSWERS ? [...ends, call.startedAtUs + call.durationUs] : ends;
    this.#ends.set(request, value);
    const own = shortHash(String(who), request);
    this.#own.set(own, (this.#own.get(own) ?? 0) + 1);
    this.#last.set(who, { request, startedAtUs: call.startedAtUs });
  }

  #recordWaste(call: LoopCall, index: number): void {
    const { traceId, spanId, serverName, toolName, startedAtUs, durationUs } = call;
    this.#sinceUs ||= startedAtUs;
    this.#evidence.push({ index, traceId, spanId, serverName, toolName, startedAtUs });
    this.#evidenceCalls.push(call);
    for (const newest of [this.#evidence, this.#evidenceCalls])
      if (newest.length > MAX_EVIDENCE_CALLS) newest.shift();
    const { calls, us, bytes } = this.#wasted;
    this.#wasted = {
      calls: calls + 1,
      us: us + durationUs,
      bytes: bytes + call.argumentsBytes + call.resultBytes,
    };
  }

  #updateFinding(call: LoopCall, { index, counts }: { readonly index: number; readonly counts: boolean }) {
    const repeats = this.#window.filter((seen) => seen.counts);
    const requests = new Set(repeats.map(({ request }) => request)).size;
    const sessions = new Set(repeats.map((seen) => seen.session));
    const isLoop =
      repeats.length >= MIN_SUSPECTED_REPEATS &&
      repeats.length * 2 >= this.#window.length &&
      requests >= MIN_REQUESTS &&
      sessions.size >= MIN_SESSIONS;
    if (!isLoop && (this.#open === undefined || repeats.length >= MIN_SUSPECTED_REPEATS)) return undefined;
    const open = this.#open ?? this.#begin(call, { index, requests });
    if (isLoop && counts) this.#grow(open, call, { index, isSure: repeats.length >= MIN_CONFIRMED_REPEATS });
    if (!isLoop) this.#end(open);
    else if (!counts) return undefined;
    return toSessionTreeFinding(open, this.#namesOf(sessions));
  }

  #begin(call: LoopCall, { index, requests }: { readonly index: number; readonly requests: number }) {
    this.#open = {
      ...NO_FINDING,
      ordinal: ++this.#ordinal,
      kind: 'nothing_new',
      severity: 'suspected',
      onsetIndex: this.#evidence[0]?.index ?? index,
      detectedAtIndex: index,
      lastIndex: index,
      startedAtUs: this.#sinceUs || call.startedAtUs,
      endedAtUs: call.startedAtUs + call.durationUs,
      calls: [...this.#evidence],
      evidenceCalls: [...this.#evidenceCalls],
      requests,
    };
    return this.#open;
  }

  #grow(
    open: OpenTreeFinding,
    call: LoopCall,
    { index, isSure }: { readonly index: number; readonly isSure: boolean },
  ) {
    if (isSure) open.severity = 'confirmed';
    open.lastIndex = index;
    open.endedAtUs = Math.max(open.endedAtUs, call.startedAtUs + call.durationUs);
    open.wastedCalls = this.#wasted.calls;
    open.repeats = this.#wasted.calls + 1;
    open.wastedUs = this.#wasted.us;
    open.wastedBytes = this.#wasted.bytes;
  }

  #end(open: OpenTreeFinding): void {
    open.state = 'over';
    this.#open = undefined;
    this.#wasted = { calls: 0, us: 0, bytes: 0 };
    this.#sinceUs = 0;
    this.#evidence.length = 0;
    this.#evidenceCalls.length = 0;
  }

  #namesOf(sessions: ReadonlySet<number>): string[] {
    return [...sessions].flatMap((session) => this.#names.get(session) ?? []).sort();
  }
}

/** 0 for unknown arguments or answers, acknowledgements, and failures, which other rules detect. */
function requestHashOf(call: LoopCall): number {
  const { intent } = identifyCall(call);
  if (intent === 0 || call.resultFingerprint === '' || call.outcome !== 'ok' || call.errorInResult) return 0;
  if (call.resultBytes <= DEFAULT_THRESHOLDS.acknowledgementBytes) return 0;
  return shortHash(`${call.resultFingerprint} ${call.fingerprintKeyId}`, intent);
}

/** 30 bits, because larger numbers are allocated on the heap. */
function shortHash(text: string, seed: number): number {
  return (hashText(text, seed) % 2 ** 30) + 1;
}

function toSessionTreeFinding(open: OpenTreeFinding, sessions: readonly string[]): SessionTreeFinding {
  const { wastedCalls, requests, evidenceCalls } = open;
  return {
    ...toLoopFinding(open),
    kind: 'nothing_new',
    evidenceCalls,
    sessions,
    sentence:
      `${sessions.length} sessions of one run ask for the same ${requests} things again and again: ` +
      `${wastedCalls} calls repeated what the run had been answered before (${formatTools(open)}).`,
    causeSentence: 'The agents of this run do not share what one of them was answered.',
  };
}
