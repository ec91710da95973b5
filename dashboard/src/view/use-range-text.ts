// The range of a view for a sentence: "in the last 24 hours".
import { formatRange } from '../format/format-range.ts';
import { useZone } from './preferences.ts';
import { useNow } from './use-now.ts';
import type { View } from './view.ts';

export function useRangeText(view: Pick<View, 'from' | 'to'>): string {
  const zone = useZone();
  const nowMs = useNow(60_000);
  return formatRange(view, { nowMs, zone });
}
