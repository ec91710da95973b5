// Diagnostics on the host's stderr, disabled by default: one line at the first failure of a process, and one
// for each option that cannot be applied.

import { toPrintableLine } from '../../core/values/printable-text.ts';
import type { EnvironmentVariables } from './export-target.ts';

const LOG_LEVELS: ReadonlySet<string> = new Set([
  'error',
  'warn',
  'info',
  'debug',
  'verbose',
  'all',
  '1',
  'true',
]);

let isFailureReported = false;

/**
 * Reports the first failure of a process, if OTEL_LOG_LEVEL or TOOLSCOPE_LOG (a level, `1` or `true`) enables
 * it;
 * TOOLSCOPE_LOG takes precedence.
 * @param write receives one line; MUST NOT write to stdout, which belongs to the MCP transport
 */
export function createFailureReporter(
  environment: EnvironmentVariables,
  write: (line: string) => void,
): (reason: string) => void {
  if (!isLogEnabled(environment)) return () => {};
  return function reportFailure(reason) {
    if (isFailureReported) return;
    isFailureReported = true;
    write(
      `toolscope: calls could not be delivered (${toPrintableLine(reason)}); further failures are not reported\n`,
    );
  };
}

/** Reports each option that cannot be applied once, if the same variables enable it. */
export function createProblemReporter(
  environment: EnvironmentVariables,
  write: (line: string) => void,
): (problem: string) => void {
  const reportedProblems = new Set<string>();
  if (!isLogEnabled(environment)) return () => {};
  return function reportProblem(problem) {
    if (reportedProblems.has(problem)) return;
    reportedProblems.add(problem);
    write(`toolscope: ${toPrintableLine(problem)}\n`);
  };
}

function isLogEnabled(environment: EnvironmentVariables): boolean {
  const level = environment['TOOLSCOPE_LOG'] || environment['OTEL_LOG_LEVEL'] || '';
  return LOG_LEVELS.has(level.toLowerCase());
}
