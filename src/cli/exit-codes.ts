// What the exit code of every command means, and which error gets which.

import { toPrintableLine, toPrintableText } from '../core/values/printable-text.ts';
import { UpstreamError, UserError } from '../errors.ts';

export const EXIT_CODES = {
  ok: 0,
  upstream: 1,
  /** `lint` and `check`: something was found that should end a build. */
  found: 1,
  user: 2,
  bug: 70,
} as const;

/** For the help. */
export const EXIT_CODE_HELP: readonly string[] = [
  '  0   all went well',
  '  1   something we depend on failed: the engine, a ClickHouse server',
  '  2   the command line or a setting is wrong; the message says what is expected',
  '  70  a bug in toolscope',
];

export function toExitCode(error: unknown): number {
  if (error instanceof UserError) return EXIT_CODES.user;
  if (error instanceof UpstreamError) return EXIT_CODES.upstream;
  return EXIT_CODES.bug;
}

/** A hint may quote lines of a server's or a service's; none of them looks like one of ours. */
function formatHint(hint: string | undefined): string {
  return hint ? `  ${hint.split('\n').map(toPrintableLine).join('\n  | ')}\n` : '';
}

/** What a person reads of an error: our own kinds in a sentence, a bug with its stack. */
export function formatError(error: unknown): string {
  if (error instanceof UserError) {
    return `toolscope: ${toPrintableLine(error.message)} [${error.code}]\n${formatHint(error.hint)}`;
  }
  if (error instanceof UpstreamError) return `toolscope: ${toPrintableLine(error.message)} [${error.code}]\n`;
  const text = error instanceof Error ? (error.stack ?? error.message) : String(error);
  return `toolscope: this is a bug in toolscope, please report it:\n${toPrintableText(text)}\n`;
}
