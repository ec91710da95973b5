// How often a property is tried. The few of every run find what a change broke; `TEST_RUNS=full` looks for what was always
// broken.

/** @returns for fast-check's `numRuns` */
export function propertyRuns({ quick, full }: { readonly quick: number; readonly full: number }): number {
  return process.env['TEST_RUNS'] === 'full' ? full : quick;
}
