// One run for everything: pure rooms, real engines, real clients, a real browser. Forks, because chDB and the SDKs
// keep process-wide state; three at a time on two cores, because a third of the time is waiting: for a disk, a process, a page.
import { defineConfig } from 'vitest/config';
import { SummaryLineReporter } from './support/summary-line-reporter.ts';

export default defineConfig({
  test: {
    root: '.',
    include: ['test/**/*.test.ts'],
    globalSetup: ['test/support/browser.ts'],
    pool: 'forks',
    maxWorkers: 3,
    // Bounds of what hangs, not of what is slow: an engine alone may take half a minute where much else runs.
    testTimeout: 120_000,
    hookTimeout: 180_000,
    // No test leaves calls in the home of whoever runs it, or finds another's there; those of the spool say where.
    env: { TOOLSCOPE_SPOOL_MAX_BYTES: '0' },
    // A page or a process on a busy machine may need longer than vitest's second to show what is asked for.
    expect: { poll: { timeout: 60_000 } },
    reporters: ['default', new SummaryLineReporter()],
  },
});
