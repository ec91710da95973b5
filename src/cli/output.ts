// The output of a command. All text passes through `toPrintableText`, because names and messages may come
// from untrusted sources; `joinLines` builds lines from such text.

import { once } from 'node:events';
import type { Writable } from 'node:stream';
import { type Logger, type LoggerOptions, pino } from 'pino';
import { toPrintableLine, toPrintableText } from '../core/values/printable-text.ts';
import { formatLogLine } from './format-log-line.ts';

export interface Output {
  /** @returns false when the reader is slow; see `waitForDrain` */
  write(text: string): boolean;
  waitForDrain(): Promise<void>;
}

export function createOutput(stream: Writable): Output {
  return {
    write: (text) => stream.write(toPrintableText(text)),
    async waitForDrain() {
      await once(stream, 'drain');
    },
  };
}

export async function writeText(output: Output, text: string): Promise<void> {
  if (!output.write(text)) await output.waitForDrain();
}

/** Writes a result as one line of JSON with `--json`, otherwise as text. */
export function writeResult<T>(
  stdout: Output,
  options: { readonly json?: string | true | undefined },
  { result, format }: { readonly result: T; readonly format: (result: T) => string },
): void {
  stdout.write(options.json === true ? `${JSON.stringify(result)}\n` : format(result));
}

export function formatCountRow(name: string, count: number): string {
  return `  ${name.padEnd(22)}${String(count).padStart(10)}`;
}

/** Joins lines into a text that ends in a newline; a line break within a line is escaped. */
export function joinLines(lines: readonly string[]): string {
  return `${lines.map(toPrintableLine).join('\n')}\n`;
}

/** Logs to stderr: lines for people on a terminal, JSON otherwise. */
export function createLog(level: LoggerOptions['level'] & string): Logger {
  const destination = pino.destination({ dest: 2, sync: true });
  const format = process.stderr.isTTY ? formatLogLine : (line: string) => line;
  return pino(
    { level, base: null },
    { write: (line) => void destination.write(toPrintableText(format(line))) },
  );
}
