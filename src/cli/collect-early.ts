// How much garbage the old objects of a process may gather before they are collected. V8 lets a heap of ours grow to four times of what
// lives in it: with 80 MB of living objects a flood of names brought the service to 450 to 500 MB. Of the whole process, with its
// threads; so only for a process of our own.

import { setFlagsFromString } from 'node:v8';

/**
 * Percent of what lives. Less costs too much time, more too much memory. Peak of the service after 100,000 codes or tools, and seconds
 * of all its threads, on a busy machine: 60: 361 to 411 MB, 15 to 18 s; 80: 367 to 404 MB; 120: 388 to 432 MB, 12 to 13 s; V8's
 * own: 467 to 470 MB, 11 to 13 s.
 */
const GROWTH_PERCENT = 80;

/** From now on, old objects are collected once they have grown by that much. */
export function collectEarly(percent = GROWTH_PERCENT): void {
  setFlagsFromString(`--heap-growing-percent=${percent}`);
}
