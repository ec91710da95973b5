// How much longer than alone something takes on this machine now: for the few tests that hold a promise about time, which
// is one about the product and not about what else runs.

const SPIN_MS = 50;

/** @returns how many times longer a piece of work takes than the processor works on it; 1 on a machine with nothing else to do */
export function measureCpuContention(): number {
  const startedAt = performance.now();
  const before = process.cpuUsage();
  let workedMs = 0;
  while (workedMs < SPIN_MS) {
    const { user, system } = process.cpuUsage(before);
    workedMs = (user + system) / 1000;
  }
  return Math.max(1, (performance.now() - startedAt) / workedMs);
}
