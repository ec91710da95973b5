// Runs the built command line as a child process, as a person would, and keeps what it says. Needs `npm run build`
// first, as `npm test` does; from source each run would cost half a second more.
import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { onTestFinished } from 'vitest';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
export const MAIN = join(ROOT, 'dist/cli/main.js');

export interface CliRun {
  readonly child: ChildProcess;
  /** Everything on stdout and stderr so far. */
  readonly said: { stdout: string; stderr: string };
  /** Resolves when the process has ended and its output is read. */
  readonly ended: Promise<{
    code: number | null;
    signal: NodeJS.Signals | null;
    stdout: string;
    stderr: string;
  }>;
}

/** A home of its own and none of the variables of the user who runs the tests. */
export function cleanEnvironment(over: Record<string, string> = {}): Record<string, string> {
  const home = mkdtempSync(join(tmpdir(), 'toolscope-home-'));
  onTestFinished(() => rmSync(home, { recursive: true, force: true }));
  return { PATH: process.env['PATH'] ?? '', HOME: home, ...over };
}

/** Starts it; the test ends it, and if it does not, the end of the test does. */
export function startCli(
  args: readonly string[],
  env = cleanEnvironment(),
  stdin: 'ignore' | 'pipe' = 'ignore',
): CliRun {
  const child = spawn(process.execPath, [MAIN, ...args], {
    cwd: ROOT,
    env,
    stdio: [stdin, 'pipe', 'pipe'],
  });
  const output = { stdout: '', stderr: '' };
  child.stdout!.on('data', (chunk: Buffer) => {
    output.stdout += chunk;
  });
  child.stderr!.on('data', (chunk: Buffer) => {
    output.stderr += chunk;
  });
  const ended = new Promise<Awaited<CliRun['ended']>>((resolve) =>
    child.once('close', (code, signal) => resolve({ code, signal, ...output })),
  );
  onTestFinished(async () => {
    if (child.exitCode === null && child.signalCode === null) child.kill('SIGKILL');
    await ended;
  });
  return { child, said: output, ended };
}
