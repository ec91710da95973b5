// When a failure or a loop of several sessions counts as one storm.

export interface StormThresholds {
  /** Minimum number of sessions with the same failure or in the same loop. */
  readonly stormSessions: number;
  /** Window in minutes; a storm without a call of its kind for this long is over. */
  readonly stormMinutes: number;
}

export const DEFAULT_STORM_THRESHOLDS: StormThresholds = { stormSessions: 5, stormMinutes: 5 };

/** Minimum and maximum of each threshold. */
export const STORM_BOUNDS: Readonly<Record<keyof StormThresholds, readonly [least: number, most: number]>> = {
  stormSessions: [2, 1000],
  stormMinutes: [1, 60],
};
