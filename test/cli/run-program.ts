// Runs a command line in this process: what a child would say, without starting one for each line of a table.
import { Readable, Writable } from 'node:stream';
import { formatError, toExitCode } from '../../src/cli/exit-codes.ts';
import { runProgram } from '../../src/cli/program.ts';

export interface ProgramRun {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

export async function runInProcess(args: readonly string[], input = ''): Promise<ProgramRun> {
  const output = { stdout: '', stderr: '' };
  const into = (name: 'stdout' | 'stderr') =>
    new Writable({
      write(chunk: Buffer, _encoding, done) {
        output[name] += chunk;
        done();
      },
    });
  const context = {
    stdin: Readable.from([Buffer.from(input)]),
    stdout: into('stdout'),
    stderr: into('stderr'),
    signal: new AbortController().signal,
  };
  try {
    return { code: await runProgram(args, context), ...output };
  } catch (error) {
    return { code: toExitCode(error), ...output, stderr: output.stderr + formatError(error) };
  }
}
