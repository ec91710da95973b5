// Calls and errors of a period.

export interface ErrorCount {
  readonly calls: number;
  readonly errors: number;
}
