// The interface of a command: declarative data, from which the help is derived, and one function. Only
// `main.ts` ends the process.

import type { Readable } from 'node:stream';
import type { Output } from './output.ts';

export interface CommandOption {
  /** In commander's syntax: `--port <number>`, `--open`. */
  readonly flags: string;
  readonly description: string;
}

export interface CommandMeta {
  readonly name: string;
  readonly summary: string;
  /** Text after the options in the usage line. */
  readonly operands?: string;
  /** A single positional argument; its value is stored among the options under this name, a plain word. */
  readonly argument?: { readonly name: string; readonly description: string };
  /** Whether a foreign command line may follow, with or without `--`. */
  readonly takesCommand?: true;
  /** Whether positional arguments may precede or follow the options. */
  readonly takesPositionals?: true;
  readonly options: readonly CommandOption[];
  readonly examples: readonly string[];
  /** Lines for the help, for exit codes with a command-specific meaning. */
  readonly exitCodes?: readonly string[];
}

export interface CommandContext {
  /** Read by commands that accept piped input. */
  readonly stdin: Readable;
  /** Results, which programs may read. */
  readonly stdout: Output;
  readonly stderr: Output;
  /** Aborted by the first SIGINT or SIGTERM; the command then finishes its work and returns. */
  readonly signal: AbortSignal;
}

/** Option values by commander's attribute name; a string, or true for an option without a value. */
export type OptionValues = Readonly<Record<string, string | true | undefined>>;

export interface Command {
  readonly meta: CommandMeta;
  /** Returns the exit code; throws UserError, UpstreamError, or any other error for a bug. */
  readonly run: (
    options: OptionValues,
    context: CommandContext,
    operands?: readonly string[],
  ) => Promise<number>;
}
