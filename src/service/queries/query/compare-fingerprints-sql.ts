// `compareFingerprints` of src/core/model/compare-calls.ts as SQL.

/** A fingerprint's columns. */
export interface FingerprintColumns {
  readonly keyId: string;
  readonly fingerprint: string;
}

/** @returns an expression: `equal`, `different`, `unknown` or `incomparable` */
export function compareFingerprintsSql(a: FingerprintColumns, b: FingerprintColumns): string {
  return `multiIf(
          ${a.fingerprint} = 0 OR ${b.fingerprint} = 0, 'unknown',
          ${a.keyId} != ${b.keyId}, 'incomparable',
          ${a.fingerprint} = ${b.fingerprint}, 'equal', 'different')`;
}
