// When a failure or a loop of several sessions counts as one storm. Two numbers, so that there is hardly anything to set.

export interface StormThresholds {
  /** Sessions that must meet the same failure, or go round in the same loop. */
  readonly stormSessions: number;
  /** Within so many minutes; and a storm without a call of its kind for so long is over. */
  readonly stormMinutes: number;
}

export const DEFAULT_STORM_THRESHOLDS: StormThresholds = { stormSessions: 5, stormMinutes: 5 };

/** What each may be, from and to. */
export const STORM_BOUNDS: Readonly<Record<keyof StormThresholds, readonly [least: number, most: number]>> = {
  stormSessions: [2, 1000],
  stormMinutes: [1, 60],
};
