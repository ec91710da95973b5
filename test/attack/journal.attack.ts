// Attacks on what was acknowledged and on who keeps it: files of the journal removed or put back from an old copy, a quarantine
// that is never emptied, the thread that prepares bodies ended, the clock set back.
import type { Attack } from './attack.ts';
import { attackClock } from './clock-set-back.ts';
import { killPreparer } from './killed-preparer.ts';
import { removeSegments, restoreOldDirectory } from './removed-journal.ts';

export const attacks: readonly Attack[] = [
  {
    title: 'calls that are acknowledged after the segments were removed are all stored, once',
    run: removeSegments,
  },
  {
    title:
      'calls that are acknowledged after a data directory was put back under a ClickHouse server are all stored, once',
    run: restoreOldDirectory,
  },
  {
    title: 'a thread that reads large bodies and is ended again and again costs repeats, and no call',
    run: killPreparer,
  },
  {
    title: 'calls are stored once each while the clock is set back by two hours and forward again',
    // What it needs is not everywhere; the short form has the clocks of the unit tests.
    sizes: ['full'],
    run: attackClock,
  },
];
