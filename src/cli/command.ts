// A command is data and one function: the help is derived from the data, `main.ts` alone ends the process.

import type { Readable } from 'node:stream';
import type { Output } from './output.ts';

export interface CommandOption {
  /** As commander writes it: `--port <number>`, `--open`. */
  readonly flags: string;
  readonly description: string;
}

export interface CommandMeta {
  readonly name: string;
  /** One line in the list of commands. */
  readonly summary: string;
  /** What follows the options in the usage line. */
  readonly operands?: string;
  /** One thing that must be named without a flag; its value stands among the options under this name, a plain word. */
  readonly argument?: { readonly name: string; readonly description: string };
  /** Whether a command line of somebody else's may follow, after `--` or without it. */
  readonly takesCommand?: true;
  /** Whether words without a flag may follow, before or after the options. */
  readonly takesPositionals?: true;
  readonly options: readonly CommandOption[];
  /** Command lines that work as they stand. */
  readonly examples: readonly string[];
  /** Lines for the help, where the exit codes mean something of their own. */
  readonly exitCodes?: readonly string[];
}

/** What a command may touch of the process around it. */
export interface CommandContext {
  /** What a command reads that takes its input from a pipe. */
  readonly stdin: Readable;
  /** Results; a program may read them. */
  readonly stdout: Output;
  /** Words for people. */
  readonly stderr: Output;
  /** Aborted by the first SIGINT or SIGTERM: end what was begun and return. */
  readonly signal: AbortSignal;
}

/** Option values by commander's attribute name; text, or true for an option without a value. */
export type OptionValues = Readonly<Record<string, string | true | undefined>>;

export interface Command {
  readonly meta: CommandMeta;
  /** @returns the exit code; throws UserError, UpstreamError, or anything else for a bug */
  readonly run: (
    options: OptionValues,
    context: CommandContext,
    operands?: readonly string[],
  ) => Promise<number>;
}
