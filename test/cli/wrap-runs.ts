// Wrapped servers and receivers of a test file, which end after each of its tests.
import { afterEach } from 'vitest';
import { type OtlpReceiver, startOtlpReceiver } from '../instrumentation/exporter/otlp-receiver.ts';
import { startWrap, type WrapRun } from './run-wrap.ts';

export interface WrapRuns {
  readonly wrap: (args: readonly string[], variables?: Record<string, string>) => WrapRun;
  readonly receive: (...behaviours: Parameters<typeof startOtlpReceiver>) => Promise<OtlpReceiver>;
}

/** Call it once, at the top of a test file. */
export function trackWrapRuns(): WrapRuns {
  const open: (OtlpReceiver | WrapRun)[] = [];

  afterEach(async () => {
    for (const one of open.splice(0)) {
      if ('close' in one) await one.close();
      else if (one.child.exitCode === null && one.child.signalCode === null) one.child.kill('SIGKILL');
    }
  });

  return {
    wrap(args, variables) {
      const run = startWrap(args, variables);
      open.push(run);
      return run;
    },
    async receive(...behaviours) {
      const receiver = await startOtlpReceiver(...behaviours);
      open.push(receiver);
      return receiver;
    },
  };
}

/** The arguments of `wrap` for a server that is a shell script. */
export const shell = (script: string): string[] => ['--', 'sh', '-c', script];

/** The variables that send calls to a receiver. */
export const endpointOf = (receiver: OtlpReceiver): Record<string, string> => ({
  TOOLSCOPE_ENDPOINT: new URL(receiver.url).origin,
});
