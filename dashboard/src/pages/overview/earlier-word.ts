// What the earlier self of a chart's lines is called.
import type { SeriesAnswer } from '../../../../src/contract/answers.ts';
import { formatEarlier } from '../../format/format-earlier.ts';
import type { View } from '../../view/view.ts';

export function earlierWord({ compared }: SeriesAnswer, { compare }: View): string {
  return formatEarlier(compared?.shiftMs ?? 0, compare);
}
