// The label of a comparison with a previous state.

/** Same, different, unknown, or the first of its kind. */
export interface ComparisonLabel {
  readonly tone: 'same' | 'changed' | 'unknown' | 'first';
  readonly text: string;
}
