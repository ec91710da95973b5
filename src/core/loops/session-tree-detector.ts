// Several sessions of one agent run, judged together: do they ask again and again for what the run was answered long ago? Each
// of them alone may look sound, because nobody repeats himself often.
//
// A call counts when the run had the very same answer to the very same request at least twice, by calls that were over before
// this one began (parallel starts know nothing of each other), and the session itself had it twice too, or the run had
// it six times: to read the same few files at its start, once or twice, is what every agent of a run has to do. Short
// acknowledgements, answers without a fingerprint and polls never count.

import { hashText } from '../model/hash-text.ts';
import { identifyCall } from './call-identity.ts';
import type { EvidenceCall, LoopFinding } from './finding.ts';
import type { LoopCall } from './loop-call.ts';
import { DEFAULT_THRESHOLDS } from './thresholds.ts';

/** What a run does, beside what a finding of a session says. */
export interface SessionTreeFinding extends LoopFinding {
  readonly kind: 'nothing_new';
  /** Sessions whose calls were repeats. */
  readonly sessions: readonly string[];
  /** The calls that proved it, whole. */
  readonly evidenceCalls: readonly LoopCall[];
}

const WINDOW_SIZE = 48;
const MIN_SUSPECTED_REPEATS = 12;
const MIN_CONFIRMED_REPEATS = 24;
const MIN_REQUESTS = 4;
const MIN_SESSIONS = 2;
/** Answers in the run before a call counts, and those after which it counts whoever asks. */
const MIN_TREE_ANSWERS = 2;
const MANY_TREE_ANSWERS = 6;
/** Answers that the session itself had before. */
const MIN_OWN_ANSWERS = 2;
const MAX_REQUESTS = 48;
const MAX_OWN_COUNTS = 96;
const MAX_SESSIONS = 24;
const MAX_EVIDENCE_CALLS = 8;
const POLL_PAUSE_US = DEFAULT_THRESHOLDS.pollPauseMs * 1000;

/** One call of the newest ones; the session is its hash. */
interface TreeCall {
  readonly counts: boolean;
  readonly request: number;
  readonly session: number;
}

interface OpenTreeFinding {
  readonly ordinal: number;
  severity: 'suspected' | 'confirmed';
  state: 'active' | 'over';
  readonly detectedAtIndex: number;
  lastIndex: number;
  wastedCalls: number;
  wastedUs: number;
  wastedBytes: number;
  startedAtUs: number;
  endedAtUs: number;
  readonly requests: number;
  readonly calls: readonly EvidenceCall[];
  readonly evidenceCalls: readonly LoopCall[];
}

/** Fed with the calls of all sessions of one run, in the order they arrive. Keeps at most 32 KiB. */
export class SessionTreeDetector {
  readonly #ends = new Map<number, readonly number[]>();
  readonly #own = new Map<number, number>();
  readonly #names = new Map<number, string>();
  readonly #last = new Map<number, { readonly request: number; readonly startedAtUs: number }>();
  readonly #window: TreeCall[] = [];
  readonly #evidence: EvidenceCall[] = [];
  readonly #evidenceCalls: LoopCall[] = [];
  /** When the first call that counted began; 0 before. */
  #sinceUs = 0;
  #wasted = { calls: 0, us: 0, bytes: 0 };
  #calls = 0;
  #open: OpenTreeFinding | undefined;
  #ordinal = 0;

  /** @returns the finding, if it began, grew or ended with this call */
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
    // A list that is pushed to takes room for seventeen.
    const value = ends.length < MANY_TREE_ANSWERS ? [...ends, call.startedAtUs + call.durationUs] : ends;
    setNewest(this.#ends, { key: request, value, maxSize: MAX_REQUESTS });
    const own = shortHash(String(who), request);
    setNewest(this.#own, { key: own, value: (this.#own.get(own) ?? 0) + 1, maxSize: MAX_OWN_COUNTS });
    const last = { request, startedAtUs: call.startedAtUs };
    setNewest(this.#last, { key: who, value: last, maxSize: MAX_SESSIONS });
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

  #begin(
    call: LoopCall,
    { index, requests }: { readonly index: number; readonly requests: number },
  ): OpenTreeFinding {
    this.#open = {
      ...{ ordinal: ++this.#ordinal, severity: 'suspected', state: 'active', detectedAtIndex: index },
      ...{ lastIndex: index, wastedCalls: 0, wastedUs: 0, wastedBytes: 0, requests },
      startedAtUs: this.#sinceUs || call.startedAtUs,
      endedAtUs: call.startedAtUs + call.durationUs,
      calls: [...this.#evidence],
      evidenceCalls: [...this.#evidenceCalls],
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

/** 0 for what says nothing: arguments or an answer that are not known, a bare acknowledgement, a failure (others judge those). */
function requestHashOf(call: LoopCall): number {
  const { intent } = identifyCall(call);
  if (intent === 0 || call.resultFingerprint === '' || call.outcome !== 'ok' || call.errorInResult) return 0;
  if (call.resultBytes <= DEFAULT_THRESHOLDS.acknowledgementBytes) return 0;
  return shortHash(`${call.resultFingerprint} ${call.fingerprintKeyId}`, intent);
}

/** Of 30 bits, which take no memory of their own; among the few that a run keeps, two are hardly ever the same. */
function shortHash(text: string, seed: number): number {
  return (hashText(text, seed) % 2 ** 30) + 1;
}

/** As the newest; the oldest leaves. */
function setNewest<V>(
  map: Map<number, V>,
  { key, value, maxSize }: { readonly key: number; readonly value: V; readonly maxSize: number },
): void {
  map.delete(key);
  map.set(key, value);
  const [oldest] = map.keys();
  if (map.size > maxSize && oldest !== undefined) map.delete(oldest);
}

function toSessionTreeFinding(open: OpenTreeFinding, sessions: readonly string[]): SessionTreeFinding {
  const { wastedCalls, wastedUs, wastedBytes, startedAtUs, endedAtUs, calls, requests } = open;
  const tools = [...new Set(calls.map(({ toolName }) => toolName))];
  const shown = tools.length > 4 ? [...tools.slice(0, 3), `${tools.length - 3} other tools`] : tools;
  return {
    ...{ ordinal: open.ordinal, kind: 'nothing_new', severity: open.severity, state: open.state },
    ...{ onsetIndex: calls[0]?.index ?? open.detectedAtIndex, detectedAtIndex: open.detectedAtIndex },
    ...{ lastIndex: open.lastIndex, period: 1, repeats: wastedCalls + 1, sameness: 'equal' },
    ...{ equalArguments: false, changedArguments: [], missingArgument: '' },
    ...{
      withoutFingerprints: false,
      calls,
      evidenceCalls: open.evidenceCalls,
      wastedCalls,
      sessions,
      cause: 'agent',
    },
    wastedMs: Math.round(wastedUs / 1000),
    wastedTokens: Math.round(wastedBytes / 4),
    lastedMs: startedAtUs > 0 ? Math.round((endedAtUs - startedAtUs) / 1000) : 0,
    sentence:
      `${sessions.length} sessions of one run ask for the same ${requests} things again and again: ` +
      `${wastedCalls} calls repeated what the run had been answered before (${shown.join(', ')}).`,
    causeSentence: 'The agents of this run do not share what one of them was answered.',
  };
}
