// Compares the arguments of two calls. Fingerprints show only whether values are equal, and only fingerprints of the
// same key are comparable. An unknown value equals nothing.

import type { ToolCall } from './tool-call.ts';

/** `unknown`: a fingerprint is missing. `incomparable`: the fingerprints have different keys. */
export type FingerprintComparison = 'equal' | 'different' | 'unknown' | 'incomparable';

/** `masked`: equal except for request ids and nonces. */
export type ArgumentComparison = FingerprintComparison | 'masked';

export interface KeyedFingerprint {
  readonly keyId: string;
  /** Empty or zero if there is none. */
  readonly fingerprint: string;
}

/** The same as `compareFingerprintsSql`. */
export function compareFingerprints(a: KeyedFingerprint, b: KeyedFingerprint): FingerprintComparison {
  if (!isKnownFingerprint(a.fingerprint) || !isKnownFingerprint(b.fingerprint)) return 'unknown';
  if (a.keyId !== b.keyId) return 'incomparable';
  return a.fingerprint === b.fingerprint ? 'equal' : 'different';
}

/** A missing fingerprint is an empty string, or zeros. */
export function isKnownFingerprint(fingerprint: string): boolean {
  return !/^0*$/.test(fingerprint);
}

export type ArgumentFields = Pick<
  ToolCall,
  'fingerprintKeyId' | 'argumentsFingerprint' | 'argumentsMaskedFingerprint' | 'argumentFingerprints'
>;

export function compareArguments(a: ArgumentFields, b: ArgumentFields): ArgumentComparison {
  const exact = compareFingerprints(
    { keyId: a.fingerprintKeyId, fingerprint: a.argumentsFingerprint },
    { keyId: b.fingerprintKeyId, fingerprint: b.argumentsFingerprint },
  );
  if (exact !== 'different' || !isKnownFingerprint(a.argumentsMaskedFingerprint)) return exact;
  return a.argumentsMaskedFingerprint === b.argumentsMaskedFingerprint ? 'masked' : 'different';
}

export interface ArgumentChanges {
  /** Top-level arguments that both calls have, with different values. */
  readonly changed: readonly string[];
  readonly added: readonly string[];
  readonly removed: readonly string[];
}

/** The arguments that differ; none if the calls are not comparable. */
export function findArgumentChanges(before: ArgumentFields, call: ArgumentFields): ArgumentChanges {
  const comparison = compareArguments(before, call);
  if (comparison !== 'masked' && comparison !== 'different') return { changed: [], added: [], removed: [] };
  const [was, is] = [before.argumentFingerprints, call.argumentFingerprints];
  const both = Object.keys(is).filter((name) => Object.hasOwn(was, name));
  return {
    changed: both.filter((name) => is[name] !== was[name]),
    added: Object.keys(is).filter((name) => !Object.hasOwn(was, name)),
    removed: Object.keys(was).filter((name) => !Object.hasOwn(is, name)),
  };
}
