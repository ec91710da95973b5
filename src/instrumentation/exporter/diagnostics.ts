// The lines a host may get to see from us, and only if it asked: one at the first failure of a process, and one for what
// it asked for that cannot be done. By default nothing is printed, ever.

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
 * What tells about the first failure, by OTEL_LOG_LEVEL and TOOLSCOPE_LOG (a level, `1` or `true`; TOOLSCOPE_LOG wins).
 * @param write gets one line with its newline; MUST NOT write to stdout, which belongs to the MCP transport
 * @returns a function that writes once per process, or nothing when nobody asked
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

/**
 * What tells about options that cannot be followed, under the same variables; each problem once.
 * @param write see `createFailureReporter`
 */
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
