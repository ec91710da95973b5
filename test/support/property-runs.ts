// How much of a long test is run. `npm test` runs what finds a change that broke something; `npm run test:full` (TEST_RUNS=full)
// runs every case, and looks for what was always broken.

/** Whether this run is `npm run test:full`. */
export const isFullRun = process.env['TEST_RUNS'] === 'full';

/** @returns for fast-check's `numRuns`, and for other numbers of repetitions */
export function propertyRuns({ quick, full }: { readonly quick: number; readonly full: number }): number {
  return isFullRun ? full : quick;
}

/** @returns every `step`-th case, beginning with the first; all of them in a full run */
export function sampleCases<T>(cases: readonly T[], step: number): readonly T[] {
  return isFullRun ? cases : cases.filter((_, at) => at % step === 0);
}
