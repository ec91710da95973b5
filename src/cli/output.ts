// Where a command writes to. Everything goes through `printableText`, so that no command has to remember that names and
// messages may have been written by strangers; lines made of them are made by `joinLines`.

import { once } from 'node:events';
import type { Writable } from 'node:stream';
import { type Logger, type LoggerOptions, pino } from 'pino';
import { printable, printableText } from '../core/values/printable.ts';

export interface Output {
  /** @returns false when the reader is behind; see `drained` */
  write(text: string): boolean;
  /** Resolves when the reader has caught up. */
  drained(): Promise<void>;
}

export function createOutput(stream: Writable): Output {
  return {
    write: (text) => stream.write(printableText(text)),
    async drained() {
      await once(stream, 'drain');
    },
  };
}

/** Writes, and waits for a reader that is behind. */
export async function write(output: Output, text: string): Promise<void> {
  if (!output.write(text)) await output.drained();
}

/** Lines as a text that ends in a newline; a line break within one is shown and makes no line. */
export function joinLines(lines: readonly string[]): string {
  return `${lines.map(printable).join('\n')}\n`;
}

/** A log on stderr, in JSON lines. */
export function createLog(level: LoggerOptions['level'] & string): Logger {
  const destination = pino.destination({ dest: 2, sync: true });
  return pino({ level, base: null }, { write: (line) => void destination.write(printableText(line)) });
}
