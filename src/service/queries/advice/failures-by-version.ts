// Failures of a rule's calls, by server version.

/** Failures like those of a finding, and the calls of its tool, by the version that answered them. */
export interface FailuresByVersion {
  /** In the order in which they were first seen. */
  readonly versions: readonly {
    readonly version: string;
    readonly calls: number;
    readonly firstMs: number;
    readonly lastMs: number;
    readonly hasFailed: boolean;
  }[];
  readonly failures: number;
}
