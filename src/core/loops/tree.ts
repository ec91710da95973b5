// Several sessions of one agent run, judged together: do they ask again and again for what the run was answered long ago? Each
// of them alone may look sound, because nobody repeats himself often.
//
// A call counts when the run had the very same answer to the very same request at least twice, by calls that were over before
// this one began (parallel starts know nothing of each other), and the session itself had it twice too, or the run had
// it six times: to read the same few files at its start, once or twice, is what every agent of a run has to do. Short
// acknowledgements, answers without a fingerprint and polls never count.

import type { EvidenceCall, LoopFinding } from './finding.ts';
import { hashText, identify } from './identity.ts';
import type { LoopCall } from './loop-call.ts';
import { DEFAULT_THRESHOLDS } from './thresholds.ts';

/** What a run does, beside what a finding of a session says. */
export interface TreeFinding extends LoopFinding {
  readonly kind: 'nothing_new';
  /** Sessions whose calls were repeats. */
  readonly sessions: readonly string[];
  /** The calls that proved it, whole. */
  readonly proof: readonly LoopCall[];
}

const WINDOW = 48;
const SUSPECTED = 12;
const CONFIRMED = 24;
const FEWEST_REQUESTS = 4;
const FEWEST_SESSIONS = 2;
/** Answers in the run before a call counts, and those after which it counts whoever asks. */
const ANSWERED = 2;
const ANSWERED_OFTEN = 6;
/** Answers that the session itself had before. */
const OWN = 2;
const REQUESTS_KEPT = 48;
const OWN_KEPT = 96;
const SESSIONS_KEPT = 24;
const EVIDENCE_KEPT = 8;
const POLL_PAUSE_US = DEFAULT_THRESHOLDS.pollPauseMs * 1000;

/** One call of the newest ones; the session is its hash. */
interface Seen {
  readonly counts: boolean;
  readonly request: number;
  readonly session: number;
}

interface Open {
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
  readonly proof: readonly LoopCall[];
}

/** Fed with the calls of all sessions of one run, in the order they arrive. Keeps at most 32 KiB. */
export class SessionTree {
  readonly #ends = new Map<number, readonly number[]>();
  readonly #own = new Map<number, number>();
  readonly #names = new Map<number, string>();
  readonly #last = new Map<number, { readonly request: number; readonly startedAtUs: number }>();
  readonly #seen: Seen[] = [];
  readonly #evidence: EvidenceCall[] = [];
  readonly #proof: LoopCall[] = [];
  /** When the first call that counted began; 0 before. */
  #sinceUs = 0;
  #wasted = { calls: 0, us: 0, bytes: 0 };
  #calls = 0;
  #open: Open | undefined;
  #ordinal = 0;

  /** @returns the finding, if it began, grew or ended with this call */
  feed(session: string, call: LoopCall): TreeFinding | undefined {
    const index = this.#calls++;
    const who = shortHash(session, 0);
    if (this.#names.size < SESSIONS_KEPT) this.#names.set(who, session);
    const request = requestOf(call);
    const counts = request !== 0 && this.#isRepeat(request, who, call);
    if (request !== 0) this.#note(request, who, call);
    this.#seen.push({ counts, request, session: who });
    if (this.#seen.length > WINDOW) this.#seen.shift();
    if (counts) this.#waste(call, index);
    return this.#judge(call, { index, counts });
  }

  #isRepeat(request: number, who: number, call: LoopCall): boolean {
    const last = this.#last.get(who);
    const isPoll = last?.request === request && call.startedAtUs - last.startedAtUs >= POLL_PAUSE_US;
    const before = this.#ends.get(request)?.filter((endUs) => endUs <= call.startedAtUs).length ?? 0;
    const own = this.#own.get(shortHash(String(who), request)) ?? 0;
    return !isPoll && before >= ANSWERED && (own >= OWN || before >= ANSWERED_OFTEN);
  }

  #note(request: number, who: number, call: LoopCall): void {
    const ends = this.#ends.get(request) ?? [];
    // A list that is pushed to takes room for seventeen.
    const value = ends.length < ANSWERED_OFTEN ? [...ends, call.startedAtUs + call.durationUs] : ends;
    keep(this.#ends, { key: request, value, most: REQUESTS_KEPT });
    const own = shortHash(String(who), request);
    keep(this.#own, { key: own, value: (this.#own.get(own) ?? 0) + 1, most: OWN_KEPT });
    const last = { request, startedAtUs: call.startedAtUs };
    keep(this.#last, { key: who, value: last, most: SESSIONS_KEPT });
  }

  #waste(call: LoopCall, index: number): void {
    const { traceId, spanId, serverName, toolName, startedAtUs, durationUs } = call;
    this.#sinceUs ||= startedAtUs;
    this.#evidence.push({ index, traceId, spanId, serverName, toolName, startedAtUs });
    this.#proof.push(call);
    for (const newest of [this.#evidence, this.#proof]) if (newest.length > EVIDENCE_KEPT) newest.shift();
    const { calls, us, bytes } = this.#wasted;
    this.#wasted = {
      calls: calls + 1,
      us: us + durationUs,
      bytes: bytes + call.argumentsBytes + call.resultBytes,
    };
  }

  #judge(call: LoopCall, { index, counts }: { readonly index: number; readonly counts: boolean }) {
    const repeats = this.#seen.filter((seen) => seen.counts);
    const requests = new Set(repeats.map(({ request }) => request)).size;
    const sessions = new Set(repeats.map((seen) => seen.session));
    const isLoop =
      repeats.length >= SUSPECTED &&
      repeats.length * 2 >= this.#seen.length &&
      requests >= FEWEST_REQUESTS &&
      sessions.size >= FEWEST_SESSIONS;
    if (!isLoop && (this.#open === undefined || repeats.length >= SUSPECTED)) return undefined;
    const open = this.#open ?? this.#begin(call, { index, requests });
    if (isLoop && counts) this.#grow(open, call, { index, isSure: repeats.length >= CONFIRMED });
    if (!isLoop) this.#end(open);
    else if (!counts) return undefined;
    return toFinding(open, this.#namesOf(sessions));
  }

  #begin(call: LoopCall, { index, requests }: { readonly index: number; readonly requests: number }): Open {
    this.#open = {
      ...{ ordinal: ++this.#ordinal, severity: 'suspected', state: 'active', detectedAtIndex: index },
      ...{ lastIndex: index, wastedCalls: 0, wastedUs: 0, wastedBytes: 0, requests },
      startedAtUs: this.#sinceUs || call.startedAtUs,
      endedAtUs: call.startedAtUs + call.durationUs,
      calls: [...this.#evidence],
      proof: [...this.#proof],
    };
    return this.#open;
  }

  #grow(open: Open, call: LoopCall, { index, isSure }: { readonly index: number; readonly isSure: boolean }) {
    if (isSure) open.severity = 'confirmed';
    open.lastIndex = index;
    open.endedAtUs = Math.max(open.endedAtUs, call.startedAtUs + call.durationUs);
    open.wastedCalls = this.#wasted.calls;
    open.wastedUs = this.#wasted.us;
    open.wastedBytes = this.#wasted.bytes;
  }

  #end(open: Open): void {
    open.state = 'over';
    this.#open = undefined;
    this.#wasted = { calls: 0, us: 0, bytes: 0 };
    this.#sinceUs = 0;
    this.#evidence.length = 0;
    this.#proof.length = 0;
  }

  #namesOf(sessions: ReadonlySet<number>): string[] {
    return [...sessions].flatMap((session) => this.#names.get(session) ?? []).sort();
  }
}

/** 0 for what says nothing: arguments or an answer that are not known, a bare acknowledgement, a failure (others judge those). */
function requestOf(call: LoopCall): number {
  const { intent } = identify(call);
  if (intent === 0 || call.resultFingerprint === '' || call.outcome !== 'ok' || call.errorInResult) return 0;
  if (call.resultBytes <= DEFAULT_THRESHOLDS.acknowledgementBytes) return 0;
  return shortHash(`${call.resultFingerprint} ${call.fingerprintKeyId}`, intent);
}

/** Of 30 bits, which take no memory of their own; among the few that a run keeps, two are hardly ever the same. */
function shortHash(text: string, seed: number): number {
  return (hashText(text, seed) % 2 ** 30) + 1;
}

/** As the newest; the oldest leaves. */
function keep<V>(
  map: Map<number, V>,
  { key, value, most }: { readonly key: number; readonly value: V; readonly most: number },
): void {
  map.delete(key);
  map.set(key, value);
  const [oldest] = map.keys();
  if (map.size > most && oldest !== undefined) map.delete(oldest);
}

function toFinding(open: Open, sessions: readonly string[]): TreeFinding {
  const { wastedCalls, wastedUs, wastedBytes, startedAtUs, endedAtUs, calls, requests } = open;
  const tools = [...new Set(calls.map(({ toolName }) => toolName))];
  const shown = tools.length > 4 ? [...tools.slice(0, 3), `${tools.length - 3} other tools`] : tools;
  return {
    ...{ ordinal: open.ordinal, kind: 'nothing_new', severity: open.severity, state: open.state },
    ...{ onsetIndex: calls[0]?.index ?? open.detectedAtIndex, detectedAtIndex: open.detectedAtIndex },
    ...{ lastIndex: open.lastIndex, period: 1, repeats: wastedCalls + 1, sameness: 'equal' },
    ...{ equalArguments: false, changedArguments: [], missingArgument: '' },
    ...{ withoutFingerprints: false, calls, proof: open.proof, wastedCalls, sessions, cause: 'agent' },
    wastedMs: Math.round(wastedUs / 1000),
    wastedTokens: Math.round(wastedBytes / 4),
    lastedMs: startedAtUs > 0 ? Math.round((endedAtUs - startedAtUs) / 1000) : 0,
    sentence:
      `${sessions.length} sessions of one run ask for the same ${requests} things again and again: ` +
      `${wastedCalls} calls repeated what the run had been answered before (${shown.join(', ')}).`,
    causeSentence: 'The agents of this run do not share what one of them was answered.',
  };
}
