// What changed between two calls of one tool: which arguments, and whether the answer is another one. Fingerprints say "the
// same" or "not the same" and nothing else, and only those made with one key can be compared; what is not known is said so.
import type { SessionCallRow } from '../../../src/contract/answers.ts';

/** `masked`: the same but for request ids and nonces in arguments; but for times, durations and request ids in answers. */
export type ArgumentSameness = 'same' | 'masked' | 'changed' | 'unknown' | 'incomparable';
/** `failure`: both failed, and in the same way. */
export type AnswerSameness = 'same' | 'masked' | 'failure' | 'different' | 'unknown' | 'incomparable';

export interface Comparison {
  readonly arguments: ArgumentSameness;
  /** Top-level arguments that both calls have, with another value. */
  readonly changed: readonly string[];
  readonly added: readonly string[];
  readonly removed: readonly string[];
  readonly answer: AnswerSameness;
}

/** @param before an earlier call of the same tool */
export function compareCalls(before: SessionCallRow, call: SessionCallRow): Comparison {
  const sameness = compareArguments(before, call);
  const names = sameness === 'changed' || sameness === 'masked' ? compareNames(before, call) : NO_NAMES;
  return { arguments: sameness, ...names, answer: compareAnswers(before, call) };
}

const NO_NAMES = { changed: [], added: [], removed: [] } as const;

/** No fingerprint is stored as nothing or as zero. */
export function isKnown(fingerprint: string): boolean {
  return fingerprint !== '' && !/^0+$/.test(fingerprint);
}

/** Whether two calls were fingerprinted with different keys. */
export function haveOtherKeys(a: Keyed, b: Keyed): boolean {
  return Boolean(a.fingerprintKeyId && b.fingerprintKeyId && a.fingerprintKeyId !== b.fingerprintKeyId);
}

interface Keyed {
  readonly fingerprintKeyId?: string;
}

const areEqual = (a: string, b: string): boolean => isKnown(a) && a === b;

function compareArguments(before: SessionCallRow, call: SessionCallRow): ArgumentSameness {
  if (haveOtherKeys(before, call)) return 'incomparable';
  if (!isKnown(before.argumentsFingerprint) || !isKnown(call.argumentsFingerprint)) return 'unknown';
  if (before.argumentsFingerprint === call.argumentsFingerprint) return 'same';
  return areEqual(before.argumentsMaskedFingerprint, call.argumentsMaskedFingerprint) ? 'masked' : 'changed';
}

function compareNames(before: SessionCallRow, call: SessionCallRow) {
  const [was, is] = [before.argumentFingerprints, call.argumentFingerprints];
  const both = Object.keys(is).filter((name) => name in was);
  return {
    changed: both.filter((name) => is[name] !== was[name]),
    added: Object.keys(is).filter((name) => !(name in was)),
    removed: Object.keys(was).filter((name) => !(name in is)),
  };
}

function compareAnswers(before: SessionCallRow, call: SessionCallRow): AnswerSameness {
  if (before.outcome !== call.outcome || before.code !== call.code) return 'different';
  if (call.fault !== 'none' && call.errorMessage !== '')
    return call.errorMessage === before.errorMessage ? 'failure' : 'different';
  if (haveOtherKeys(before, call)) return 'incomparable';
  if (!isKnown(before.resultFingerprint) || !isKnown(call.resultFingerprint)) return 'unknown';
  if (before.resultFingerprint === call.resultFingerprint) return 'same';
  return areEqual(before.resultMaskedFingerprint, call.resultMaskedFingerprint) ? 'masked' : 'different';
}

/** A call beside the one of the same tool before it. */
export interface Repeat extends Comparison {
  readonly before: SessionCallRow;
}

/**
 * What each call changed of the last one of its tool. The first call of a tool has nothing to be compared with.
 *
 * @param calls in order
 * @returns by `keyOf`
 */
export function prepareRepeats(calls: readonly SessionCallRow[]): ReadonlyMap<string, Repeat> {
  const last = new Map<string, SessionCallRow>();
  const repeats = new Map<string, Repeat>();
  for (const call of calls) {
    const name = `${call.server} ${call.method} ${call.tool} ${call.target}`;
    const before = last.get(name);
    if (before) repeats.set(keyOf(call), { before, ...compareCalls(before, call) });
    last.set(name, call);
  }
  return repeats;
}

/** A call's place in the address. */
export function keyOf({ traceId, spanId }: { readonly traceId: string; readonly spanId: string }): string {
  return `${traceId}.${spanId}`;
}
