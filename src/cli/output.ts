// Where a command writes to. Everything goes through `toPrintableText`, so that no command has to remember that names and
// messages may have been written by strangers; lines made of them are made by `joinLines`.

import { once } from 'node:events';
import type { Writable } from 'node:stream';
import { type Logger, type LoggerOptions, pino } from 'pino';
import { toPrintableLine, toPrintableText } from '../core/values/printable-text.ts';

export interface Output {
  /** @returns false when the reader is behind; see `drained` */
  write(text: string): boolean;
  /** Resolves when the reader has caught up. */
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

/** Writes, and waits for a reader that is behind. */
export async function writeText(output: Output, text: string): Promise<void> {
  if (!output.write(text)) await output.waitForDrain();
}

/** Lines as a text that ends in a newline; a line break within one is shown and makes no line. */
export function joinLines(lines: readonly string[]): string {
  return `${lines.map(toPrintableLine).join('\n')}\n`;
}

/** A log on stderr, in JSON lines. */
export function createLog(level: LoggerOptions['level'] & string): Logger {
  const destination = pino.destination({ dest: 2, sync: true });
  return pino({ level, base: null }, { write: (line) => void destination.write(toPrintableText(line)) });
}
