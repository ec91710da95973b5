// `toolscope wrap` as a process, with its errors: what it loads is bundled, and an error class of a bundle is not that of `main.ts`.

import { formatError, toExitCode } from './exit-codes.ts';
import { replaceProcessStderr } from './wrap/open-stdio.ts';
import { runWrap } from './wrap.ts';

/** @returns the exit code; never rejects */
export async function runWrapProcess(args: readonly string[]): Promise<number> {
  replaceProcessStderr();
  try {
    return await runWrap(args);
  } catch (error) {
    process.stderr.write(formatError(error));
    return toExitCode(error);
  }
}
