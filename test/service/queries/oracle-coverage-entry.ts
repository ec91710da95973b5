// What is written down of numbers that a test counts again, and of those that none does.

/** Some numbers of one answer, and the test that counts them again. */
export interface OracleCoverage {
  /** As exported from `src/contract`. */
  readonly answer: string;
  /** Where a reader meets them. */
  readonly pages: string;
  /** Below `test/`, and words of its titles. */
  readonly test: readonly [file: string, ...titles: string[]];
  /** As `listNumericFields` names them. */
  readonly fields: readonly string[];
}

/** Numbers that are no counts over calls. */
export interface OracleExemption {
  readonly answer: string;
  readonly because: string;
  readonly fields: readonly string[];
}

/** A file below this folder. */
export const queryTest = (name: string): string => `service/queries/${name}.integration.test.ts`;
