// What is said of something beside what was before it.

/** The same, not the same, not to be told; or the first, with nothing before it. */
export interface ComparisonLabel {
  readonly tone: 'same' | 'changed' | 'unknown' | 'first';
  readonly text: string;
}
