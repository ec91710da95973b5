// The comparisons of src/core/model/compare-calls.ts as SQL.

/** A fingerprint's columns. */
export interface FingerprintColumns {
  readonly keyId: string;
  readonly fingerprint: string;
}

/** The columns of a call's arguments. */
export interface ArgumentColumns extends FingerprintColumns {
  readonly masked: string;
}

/**
 * `compareFingerprints` as SQL.
 *
 * @returns an expression: `equal`, `different`, `unknown` or `incomparable`
 */
export function compareFingerprintsSql(a: FingerprintColumns, b: FingerprintColumns): string {
  return `multiIf(
          ${a.fingerprint} = 0 OR ${b.fingerprint} = 0, 'unknown',
          ${a.keyId} != ${b.keyId}, 'incomparable',
          ${a.fingerprint} = ${b.fingerprint}, 'equal', 'different')`;
}

/**
 * `compareArguments` as SQL.
 *
 * @returns an expression: as above, or `masked`
 */
export function compareArgumentsSql(a: ArgumentColumns, b: ArgumentColumns): string {
  const exact = compareFingerprintsSql(a, b);
  return `if(${a.masked} != 0 AND ${a.masked} = ${b.masked} AND ${exact} = 'different', 'masked', ${exact})`;
}
