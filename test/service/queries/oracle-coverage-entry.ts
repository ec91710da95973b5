// The entries of the lists of numbers that an oracle test covers, and of those that none does.

/** Some numbers of one response, and the oracle test that covers them. */
export interface OracleCoverage {
  /** As exported from `src/contract`. */
  readonly answer: string;
  /** The pages that show them. */
  readonly pages: string;
  /** A file below `test/`, and parts of its test titles. */
  readonly test: readonly [file: string, ...titles: string[]];
  /** Paths as returned by `listNumericFields`. */
  readonly fields: readonly string[];
}

/** Numbers that do not count calls. */
export interface OracleExemption {
  readonly answer: string;
  readonly because: string;
  readonly fields: readonly string[];
}

/** A file below this folder. */
export const queryTest = (name: string): string => `service/queries/${name}.integration.test.ts`;
