// Prepares the suggestions of a view without calls: remove a filter, widen the range, or go to the last call.
// Counts are fetched first, so that no suggestion leads to another empty page.
import type { FilterValue } from '../../../src/contract/filter-value.ts';
import type { Filter } from '../../../src/contract/query.ts';
import { activeFilters, PRESETS, type View, withFilter, withoutFilters, withRange } from './view.ts';

const MINUTE = 60_000;
const BEFORE_MS = 50 * MINUTE;
const AFTER_MS = 10 * MINUTE;

export interface FilterRemoval {
  /** The filters that are removed; removing a server also removes its tool and its version. */
  readonly removed: readonly (readonly [Filter, FilterValue])[];
  readonly view: View;
}

/** The view without each single filter, and without all of them when there are several. */
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

/** The shortest preset range that contains that time. */
export function findPresetContaining(
  view: View,
  { atMs, nowMs }: { atMs: number; nowMs: number },
): View | undefined {
  const preset = PRESETS.find((name) => nowMs - atMs < toMs(name));
  return preset && withRange(view, { from: `now-${preset}`, to: 'now' });
}

/** An hour with that time near its end, in whole minutes to keep the URL short. */
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
