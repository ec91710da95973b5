// What to offer where a view shows no call: a filter less, a wider range, or the moment of the last call. Counts are
// asked for first, so that no way out leads to another empty page.
import {
  activeFilters,
  type Filter,
  PRESETS,
  type View,
  withFilter,
  withoutFilters,
  withRange,
} from './view.ts';

const MINUTE = 60_000;
const BEFORE_MS = 50 * MINUTE;
const AFTER_MS = 10 * MINUTE;

export interface FilterRemoval {
  /** The filters that go; a server takes its tool and its version along. */
  readonly removed: readonly (readonly [Filter, string])[];
  readonly view: View;
}

/** The view with one filter less, for each filter; and without any where there are several. */
export function prepareFilterRemovals(view: View): FilterRemoval[] {
  const active = activeFilters(view);
  const single = active.map(([name]): FilterRemoval => {
    const next = withFilter(view, [name, undefined]);
    return { removed: active.filter(([one]) => next[one] === undefined), view: next };
  });
  const known = new Set(single.map(({ removed }) => removed.length));
  return active.length > 1 && !known.has(active.length)
    ? [...single, { removed: active, view: withoutFilters(view) }]
    : single;
}

/** The shortest of the usual ranges that holds that moment. */
export function findPresetContaining(
  view: View,
  { atMs, nowMs }: { atMs: number; nowMs: number },
): View | undefined {
  const preset = PRESETS.find((name) => nowMs - atMs < toMs(name));
  return preset && withRange(view, { from: `now-${preset}`, to: 'now' });
}

/** An hour with that moment near its end, in whole minutes so that the address is short. */
export function toHourAround(view: View, atMs: number): View {
  const minute = Math.ceil(atMs / MINUTE) * MINUTE;
  return withRange(view, { from: toIso(minute - BEFORE_MS), to: toIso(minute + AFTER_MS) });
}

function toIso(ms: number): string {
  return new Date(ms).toISOString().replace(':00.000Z', 'Z');
}

const UNIT_MS = { m: MINUTE, h: 60 * MINUTE, d: 1_440 * MINUTE } as const;

function toMs(preset: (typeof PRESETS)[number]): number {
  const unit = preset.endsWith('m') ? 'm' : preset.endsWith('h') ? 'h' : 'd';
  return Number.parseInt(preset, 10) * UNIT_MS[unit];
}
