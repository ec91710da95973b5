// The thread in which large bodies are read is ended a moment after each start, as a lack of memory would. Its sender is told to
// come again, never that something broke, and gets everything in.
import { toJson, toolCall } from '../service/ingest/otlp-document.ts';
import { pause, type RunningService, startService, waitUntilDrained } from '../support/service.ts';
import type { AttackReport, AttackSize } from './attack.ts';

const REQUESTS: Readonly<Record<AttackSize, number>> = { short: 12, full: 200 };
/** Some 60 kB: large enough for the thread. */
const CALLS = 120;
const MAX_TRIES = 200;
const WAIT_MS = 30;

/** Loaded into the service before its own code: every thread that it starts has a quarter of a second to live. */
const KILL_WORKERS_SCRIPT = `
  import { syncBuiltinESMExports } from 'node:module';
  import workers, { Worker } from 'node:worker_threads';
  workers.Worker = class extends Worker {
    constructor(...started) {
      super(...started);
      this.once('message', () => setTimeout(() => this.terminate(), 250).unref());
    }
  };
  syncBuiltinESMExports();
`;

export async function killPreparer(size: AttackSize): Promise<AttackReport> {
  const preload = `data:text/javascript,${encodeURIComponent(KILL_WORKERS_SCRIPT)}`;
  const service = await startService({ environment: { NODE_OPTIONS: `--import=${preload}` } });
  try {
    const statuses = new Map<number, number>();
    let hasted = 0;
    for (let request = 0; request < REQUESTS[size]; request += 1) {
      const { answers, impatient } = await sendUntilAccepted(service, bodyOf(request));
      for (const status of answers) statuses.set(status, (statuses.get(status) ?? 0) + 1);
      hasted += impatient;
    }
    await waitUntilDrained(service);
    const { totals } = await service.ask<{ totals: { calls: number } }>('summary?from=now-1h');
    const metrics = await (await fetch(`${service.base}/metrics`)).text();
    const ended = Number(/^toolscope_ingest_preparer_ended_total (\d+)$/m.exec(metrics)?.[1] ?? 0);
    const acknowledged = (statuses.get(200) ?? 0) * CALLS;
    const others = [...statuses].filter(([status]) => status !== 200 && status !== 503);
    return {
      broken: [
        ...others.map(([status, times]) => `${times} requests were answered with ${status}.`),
        ...(hasted > 0 ? [`${hasted} refusals did not say when to come again.`] : []),
        ...(ended > 0 ? [] : ['No thread is counted as ended.']),
        ...(acknowledged === REQUESTS[size] * CALLS ? [] : [`Only ${acknowledged} calls were taken.`]),
        ...(totals.calls === acknowledged ? [] : [`${totals.calls} calls are counted of ${acknowledged}.`]),
      ],
      figures: {
        ended_threads: ended,
        stored_calls: totals.calls,
        ...Object.fromEntries([...statuses].map(([status, times]) => [`answers_${status}`, times])),
      },
    };
  } finally {
    await service.stop();
  }
}

function bodyOf(request: number): string {
  const now = Date.now();
  return toJson(Array.from({ length: CALLS }, (_, n) => toolCall(request * CALLS + n + 1, now)));
}

async function sendUntilAccepted(service: RunningService, body: string) {
  const answers: number[] = [];
  let impatient = 0;
  for (let tried = 0; tried < MAX_TRIES && answers.at(-1) !== 200; tried += 1) {
    const response = await service.post(body);
    await response.arrayBuffer();
    answers.push(response.status);
    if (response.status === 503 && response.headers.get('retry-after') === null) impatient += 1;
    // Sooner than it was told, so that the attack is short.
    await pause(WAIT_MS);
  }
  return { answers, impatient };
}
