// Ends a run with `N passed, N failed`, the one line that a person or a build server looks for. A file that could
// not be loaded counts as a failure: it hides tests. Tests that passed only when they were repeated are listed above it.
import type { Reporter, TestModule } from 'vitest/node';

interface TestTally {
  passed: number;
  failed: number;
  skipped: number;
}

function countModule(module: TestModule, tally: TestTally): void {
  if (module.errors().length > 0) tally.failed += 1;
  for (const test of module.children.allTests()) {
    const { state } = test.result();
    if (state === 'passed') tally.passed += 1;
    else if (state === 'failed') tally.failed += 1;
    else tally.skipped += 1;
  }
}

function listFlakyTests(module: TestModule): string[] {
  return [...module.children.allTests()]
    .filter((test) => test.diagnostic()?.flaky)
    .map((test) => `${module.relativeModuleId}: ${test.fullName}`);
}

export class SummaryLineReporter implements Reporter {
  onTestRunEnd(modules: readonly TestModule[], unhandledErrors: readonly unknown[]): void {
    const tally: TestTally = { passed: 0, failed: unhandledErrors.length, skipped: 0 };
    for (const module of modules) countModule(module, tally);
    if (tally.passed + tally.failed === 0) tally.failed = 1;
    for (const name of modules.flatMap(listFlakyTests)) process.stdout.write(`\nflaky: ${name}`);
    const skipped = tally.skipped > 0 ? `, ${tally.skipped} skipped` : '';
    process.stdout.write(`\n${tally.passed} passed, ${tally.failed} failed${skipped}\n`);
  }
}
