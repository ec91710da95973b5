import { beforeEach, describe, expect, test, vi } from 'vitest';
import type { EnvironmentVariables } from '../../../src/instrumentation/exporter/export-target.ts';

type Diagnostics = typeof import('../../../src/instrumentation/exporter/diagnostics.ts');
let diagnostics: Diagnostics;

// The module remembers for its process; each test gets a process of its own in that sense.
beforeEach(async () => {
  vi.resetModules();
  diagnostics = await import('../../../src/instrumentation/exporter/diagnostics.ts');
});

function reportFailures(environment: EnvironmentVariables, ...reasons: string[]): string[] {
  const lines: string[] = [];
  const report = diagnostics.createFailureReporter(environment, (line) => lines.push(line));
  for (const reason of reasons) report(reason);
  return lines;
}

describe('failure to deliver calls', () => {
  test.each<[EnvironmentVariables, number, string]>([
    [{}, 0, 'nobody asked'],
    [{ OTEL_LOG_LEVEL: 'NONE' }, 0, 'somebody asked for silence'],
    [{ OTEL_LOG_LEVEL: 'WARN' }, 1, 'OTel’s level asks'],
    [{ TOOLSCOPE_LOG: '1' }, 1, 'ours asks'],
    [{ TOOLSCOPE_LOG: 'none', OTEL_LOG_LEVEL: 'debug' }, 0, 'ours wins'],
  ])('with %j a delivery failure is logged %d times, because %s', (environment, lines, _because) => {
    expect(reportFailures(environment, 'ECONNREFUSED', 'ECONNREFUSED')).toHaveLength(lines);
  });

  test('a delivery failure is logged once per process, whichever exporter fails', () => {
    const asks = { TOOLSCOPE_LOG: 'warn' };
    expect([...reportFailures(asks, 'first'), ...reportFailures(asks, 'second')]).toEqual([
      'toolscope: calls could not be delivered (first); further failures are not reported\n',
    ]);
  });
});

describe('warnings of the instrumentation', () => {
  test.each<[EnvironmentVariables, string[], string]>([
    [{}, [], 'nobody asked'],
    [{ TOOLSCOPE_LOG: 'warn' }, ['toolscope: a\n', 'toolscope: b\n'], 'each is a line'],
  ])('with %j two warnings are logged as %j, because %s', (environment, expected, _because) => {
    const lines: string[] = [];
    const report = diagnostics.createProblemReporter(environment, (line) => lines.push(line));
    for (const problem of ['a', 'b', 'a']) report(problem);
    expect(lines).toEqual(expected);
  });
});
