// What a rule over windows found about one combination of labels.

import type { Labels } from '../alert-records.ts';

export interface WindowFinding {
  readonly labels: Labels;
  readonly value: number;
  readonly threshold: number;
  readonly tools: readonly string[];
  readonly sentence: string;
  /** Further facts by name, for receivers. */
  readonly details: Labels;
}
