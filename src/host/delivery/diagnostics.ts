// The lines a host may get to see from us, and only if it asked: one at the first failure of a process, and one for what
// it asked for that cannot be done. By default nothing is printed, ever.

import { printable } from '../../core/values/printable.ts';
import type { EnvironmentRecord } from './target.ts';

const LEVELS: ReadonlySet<string> = new Set([
  'error',
  'warn',
  'info',
  'debug',
  'verbose',
  'all',
  '1',
  'true',
]);

let said = false;

/**
 * What tells about the first failure, by OTEL_LOG_LEVEL and TOOLSCOPE_LOG (a level, `1` or `true`; TOOLSCOPE_LOG wins).
 * @param write gets one line with its newline; MUST NOT write to stdout, which belongs to the MCP transport
 * @returns a function that writes once per process, or nothing when nobody asked
 */
export function createFailureReport(
  environment: EnvironmentRecord,
  write: (line: string) => void,
): (reason: string) => void {
  if (!isAskedFor(environment)) return () => {};
  return function reportFailure(reason) {
    if (said) return;
    said = true;
    write(
      `toolscope: calls could not be delivered (${printable(reason)}); further failures are not reported\n`,
    );
  };
}

/**
 * What tells about options that cannot be followed, under the same variables; each problem once.
 * @param write see `createFailureReport`
 */
export function createProblemReport(
  environment: EnvironmentRecord,
  write: (line: string) => void,
): (problem: string) => void {
  const told = new Set<string>();
  if (!isAskedFor(environment)) return () => {};
  return function reportProblem(problem) {
    if (told.has(problem)) return;
    told.add(problem);
    write(`toolscope: ${printable(problem)}\n`);
  };
}

function isAskedFor(environment: EnvironmentRecord): boolean {
  const level = environment['TOOLSCOPE_LOG'] || environment['OTEL_LOG_LEVEL'] || '';
  return LEVELS.has(level.toLowerCase());
}
