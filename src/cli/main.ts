#!/usr/bin/env node
// The entry point, and the only place that ends the process or handles its signals. `wrap` starts once for
// every server of an MCP client, so it runs without loading the option parser.

import { constants } from 'node:os';
import { formatError, toExitCode } from './exit-codes.ts';

const [command, ...rest] = process.argv.slice(2);

async function runCommand(): Promise<number> {
  if (command === 'wrap') {
    const { runWrapProcess } = await import('./wrap-process.ts');
    return runWrapProcess(rest);
  }
  const { runProgram } = await import('./program.ts');
  const { stdin, stdout, stderr } = process;
  return runProgram(process.argv.slice(2), { stdin, stdout, stderr, signal: listenForSignals() });
}

/** The first signal requests an orderly shutdown; the second ends the process immediately. */
function listenForSignals(): AbortSignal {
  const ending = new AbortController();
  for (const name of ['SIGINT', 'SIGTERM'] as const) {
    process.on(name, () => {
      if (ending.signal.aborted) process.exit(128 + constants.signals[name]);
      ending.abort();
    });
  }
  return ending.signal;
}

/** Waits until written output has reached its pipe; `wrap` does that itself. */
async function flushOutput(): Promise<void> {
  if (command === 'wrap') return;
  await new Promise<void>((resolve) => {
    process.stdout.write('', () => process.stderr.write('', () => resolve()));
  });
}

try {
  process.exitCode = await runCommand();
} catch (error) {
  process.stderr.write(formatError(error));
  process.exitCode = toExitCode(error);
}
await flushOutput();
process.exit();
