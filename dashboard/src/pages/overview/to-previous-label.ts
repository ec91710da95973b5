// The label of a chart's previous-period lines.
import type { SeriesResponse } from '../../../../src/contract/responses.ts';
import { formatPreviousPeriod } from '../../format/format-change.ts';
import type { View } from '../../view/view.ts';

export function toPreviousLabel({ compared }: SeriesResponse, { compare }: View): string {
  return formatPreviousPeriod(compared?.shiftMs ?? 0, compare);
}
