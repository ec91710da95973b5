// The exit codes of all commands, and the mapping from errors to exit codes.

import { toPrintableLine, toPrintableText } from '../core/values/printable-text.ts';
import { UpstreamError, UserError } from '../errors.ts';

export const EXIT_CODES = {
  ok: 0,
  upstream: 1,
  /** `lint` and `check`: there are findings that should fail a build. */
  found: 1,
  user: 2,
  bug: 70,
} as const;

export const EXIT_CODE_HELP: readonly string[] = [
  '  0   success',
  '  1   a dependency failed: the engine, a ClickHouse server or the service',
  '  2   the command line or a setting is invalid; the message says what is expected',
  '  70  a bug in Toolscope',
];

export function toExitCode(error: unknown): number {
  if (error instanceof UserError) return EXIT_CODES.user;
  if (error instanceof UpstreamError) return EXIT_CODES.upstream;
  return EXIT_CODES.bug;
}

/** Indents the hint: it may quote output of a server or service, which must not look like our own lines. */
function formatHint(hint: string | undefined): string {
  return hint ? `  ${hint.split('\n').map(toPrintableLine).join('\n  | ')}\n` : '';
}

/** Formats an error: expected errors as a sentence, bugs with their stack. */
export function formatError(error: unknown): string {
  if (error instanceof UserError) {
    return `toolscope: ${toPrintableLine(error.message)} [${error.code}]\n${formatHint(error.hint)}`;
  }
  if (error instanceof UpstreamError) return `toolscope: ${toPrintableLine(error.message)} [${error.code}]\n`;
  const text = error instanceof Error ? (error.stack ?? error.message) : String(error);
  return `toolscope: this is a bug in Toolscope, please report it:\n${toPrintableText(text)}\n`;
}
