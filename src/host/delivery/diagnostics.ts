// The one line a host may get to see from us: at the first failure of a process, and only if it asked. By default
// nothing is printed, ever.

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
  const level = environment['TOOLSCOPE_LOG'] || environment['OTEL_LOG_LEVEL'] || '';
  if (!LEVELS.has(level.toLowerCase())) return () => {};
  return function reportFailure(reason) {
    if (said) return;
    said = true;
    write(`toolscope: calls could not be delivered (${reason}); further failures are not reported\n`);
  };
}
