// Compares two calls of one tool: which arguments changed, and whether the result did. Fingerprints only tell
// whether values are equal, and only fingerprints of the same key are comparable; otherwise the comparison is
// `unknown` or `incomparable`.
import type { SessionCallRow } from '../../../../src/contract/responses.ts';

/** `masked`: equal except for ids and nonces in arguments, or for times, durations and ids in results. */
export type ArgumentSameness = 'same' | 'masked' | 'changed' | 'unknown' | 'incomparable';
/** `failure`: both failed in the same way. */
export type ResultSameness = 'same' | 'masked' | 'failure' | 'different' | 'unknown' | 'incomparable';

export interface CallDifference {
  readonly arguments: ArgumentSameness;
  /** Top-level arguments that both calls have, with different values. */
  readonly changed: readonly string[];
  readonly added: readonly string[];
  readonly removed: readonly string[];
  readonly result: ResultSameness;
}

/** @param before an earlier call of the same tool */
export function compareCalls(before: SessionCallRow, call: SessionCallRow): CallDifference {
  const sameness = compareArguments(before, call);
  const names =
    sameness === 'changed' || sameness === 'masked' ? compareArgumentNames(before, call) : NO_NAMES;
  return { arguments: sameness, ...names, result: compareResults(before, call) };
}

const NO_NAMES = { changed: [], added: [], removed: [] } as const;

/** A missing fingerprint is stored as an empty string or as zero. */
export function isKnownFingerprint(fingerprint: string): boolean {
  return fingerprint !== '' && !/^0+$/.test(fingerprint);
}

/** Whether two calls were fingerprinted with different keys. */
export function haveDifferentKeys(a: FingerprintKeyed, b: FingerprintKeyed): boolean {
  return Boolean(a.fingerprintKeyId && b.fingerprintKeyId && a.fingerprintKeyId !== b.fingerprintKeyId);
}

interface FingerprintKeyed {
  readonly fingerprintKeyId?: string;
}

const areSameFingerprints = (a: string, b: string): boolean => isKnownFingerprint(a) && a === b;

function compareArguments(before: SessionCallRow, call: SessionCallRow): ArgumentSameness {
  if (haveDifferentKeys(before, call)) return 'incomparable';
  if (!isKnownFingerprint(before.argumentsFingerprint) || !isKnownFingerprint(call.argumentsFingerprint))
    return 'unknown';
  if (before.argumentsFingerprint === call.argumentsFingerprint) return 'same';
  return areSameFingerprints(before.argumentsMaskedFingerprint, call.argumentsMaskedFingerprint)
    ? 'masked'
    : 'changed';
}

function compareArgumentNames(before: SessionCallRow, call: SessionCallRow) {
  const [was, is] = [before.argumentFingerprints, call.argumentFingerprints];
  const both = Object.keys(is).filter((name) => name in was);
  return {
    changed: both.filter((name) => is[name] !== was[name]),
    added: Object.keys(is).filter((name) => !(name in was)),
    removed: Object.keys(was).filter((name) => !(name in is)),
  };
}

function compareResults(before: SessionCallRow, call: SessionCallRow): ResultSameness {
  if (before.outcome !== call.outcome || before.code !== call.code) return 'different';
  if (call.fault !== 'none' && call.errorMessage !== '')
    return call.errorMessage === before.errorMessage ? 'failure' : 'different';
  if (haveDifferentKeys(before, call)) return 'incomparable';
  if (!isKnownFingerprint(before.resultFingerprint) || !isKnownFingerprint(call.resultFingerprint))
    return 'unknown';
  if (before.resultFingerprint === call.resultFingerprint) return 'same';
  return areSameFingerprints(before.resultMaskedFingerprint, call.resultMaskedFingerprint)
    ? 'masked'
    : 'different';
}

/** A call compared with the previous call of the same tool. */
export interface PreviousCallDifference extends CallDifference {
  readonly previous: SessionCallRow;
}

/**
 * Compares each call with the previous call of its tool. The first call of a tool has no entry.
 *
 * @param calls in order
 * @returns by `toSessionCallKey`
 */
export function compareWithPreviousCalls(
  calls: readonly SessionCallRow[],
): ReadonlyMap<string, PreviousCallDifference> {
  const last = new Map<string, SessionCallRow>();
  const repeats = new Map<string, PreviousCallDifference>();
  for (const call of calls) {
    const name = `${call.server} ${call.method} ${call.tool} ${call.target}`;
    const before = last.get(name);
    if (before) repeats.set(toSessionCallKey(call), { previous: before, ...compareCalls(before, call) });
    last.set(name, call);
  }
  return repeats;
}

/** Identifies a call in the URL. */
export function toSessionCallKey({
  traceId,
  spanId,
}: {
  readonly traceId: string;
  readonly spanId: string;
}): string {
  return `${traceId}.${spanId}`;
}
