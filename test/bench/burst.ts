// Whether a burst is lost: as many calls as a pipe takes, then the end of the process in one of four ways, then another process
// that adopts what was left on disk. Each call has to be at the receiver, or in a count of lost calls that is there.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { type MeasuredServer, type ResultShape, startMeasuredServer } from './measured-server.ts';
import { openSpanSink } from './span-sink.ts';
import { callAtPace } from './tool-client.ts';

export interface BurstBenchOptions {
  /** The directory whose `dist/index.js` is measured. */
  readonly package?: string | undefined;
  readonly only?: readonly string[] | undefined;
  readonly say: (line: string) => void;
}

type Ending = 'end of input' | 'SIGTERM' | 'process.exit' | 'SIGKILL';

const THIS_PACKAGE = fileURLToPath(new URL('../..', import.meta.url));
const ENDINGS: readonly Ending[] = ['end of input', 'SIGTERM', 'process.exit', 'SIGKILL'];
const KILL_AFTER_MS = 200;
const BURSTS: readonly { readonly shape: ResultShape; readonly calls: number }[] = [
  { shape: 'text', calls: 20_000 },
  { shape: 'megabyte', calls: 200 },
];

/** Measures every way to end and says a line for each. */
export async function benchBurst({
  package: directory = THIS_PACKAGE,
  only = [],
  say,
}: BurstBenchOptions): Promise<void> {
  for (const { shape, calls } of BURSTS)
    for (const ending of ENDINGS) {
      if (!only.every((word) => word === shape || word === ending)) continue;
      const { stored, reported, exitMs } = await runBurst({ directory, shape, calls, ending });
      const missing = calls - stored - reported;
      say(
        `  ${shape.padEnd(9)} ${ending.padEnd(13)} ${calls} calls  stored ${stored}  reported as lost ${reported}` +
          `  ended after ${exitMs.toFixed(0)} ms${missing === 0 ? '' : `  !!! ${missing} CALLS ARE MISSING !!!`}`,
      );
    }
}

interface Burst {
  readonly directory: string;
  readonly shape: ResultShape;
  readonly calls: number;
  readonly ending: Ending;
}

async function runBurst({ directory, shape, calls, ending }: Burst) {
  const place = { sink: await openSpanSink(), state: mkdtempSync(join(tmpdir(), 'toolscope-burst-')) };
  const options = { observer: { kind: 'toolscope', directory }, transport: 'stdio', shape } as const;
  const servers: MeasuredServer[] = [];
  try {
    const server = await startMeasuredServer(options, place);
    servers.push(server);
    const firstId = server.client.lastId;
    await callAtPace(server.client, { calls, inFlight: calls });
    const exitMs = await end(server, ending);
    servers.push(await startMeasuredServer(options, place));
    await place.sink.waitFor(calls);
    return { stored: place.sink.arrivedAfter(firstId), reported: place.sink.reportedLost, exitMs };
  } finally {
    for (const server of servers) server.stop();
    place.sink.close();
    rmSync(place.state, { recursive: true, force: true });
  }
}

/** @returns milliseconds until the process was gone */
async function end({ child }: MeasuredServer, ending: Ending): Promise<number> {
  const gone = new Promise((resolve) => child.once('exit', resolve));
  const startMs = performance.now();
  if (ending === 'end of input') {
    child.stdin?.end();
    // The channel would keep it alive.
    child.disconnect();
  } else if (ending === 'process.exit') child.send('exit');
  else if (ending === 'SIGTERM') child.kill('SIGTERM');
  else {
    await pause(KILL_AFTER_MS);
    child.kill('SIGKILL');
  }
  await gone;
  return performance.now() - startMs;
}
