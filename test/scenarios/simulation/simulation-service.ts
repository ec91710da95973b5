// The real service under the fortnight: its engine, its HTTP, its rules. Only the clock of the hourly look is moved by hand.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pino } from 'pino';
import { encodeTracesJson } from '../../../src/core/otlp/encode-json.ts';
import type { OtlpSpan } from '../../../src/core/otlp/span.ts';
import type { Clock } from '../../../src/segment-log/clock.ts';
import { readConfig } from '../../../src/service/config/read-config.ts';
import { startService } from '../../../src/service/main.ts';
import { fetchWhenNotBusy, until } from '../../support/service.ts';

const SPANS_PER_BODY = 400;
/** For a machine with more to do than this. */
const WAIT_LIMIT = { withinMs: 100_000 };

export interface SimulationService {
  ask<T>(path: string, query?: Readonly<Record<string, string | number>>): Promise<T>;
  /** Sends spans as a server would, and waits until the store has all that were ever sent. */
  send(spans: readonly OtlpSpan[]): Promise<void>;
  /** Marks a deploy, as its pipeline would. What pages were told a moment before is asked anew after it. */
  markDeploy(mark: { readonly text: string; readonly server: string; readonly atMs: number }): Promise<void>;
  /** Lets the service look for advice as on that day, and waits until it has. */
  lookForAdvice(nowMs: number): Promise<void>;
  stop(): Promise<void>;
}

export async function startSimulationService(startMs: number): Promise<SimulationService> {
  const folder = mkdtempSync(join(tmpdir(), 'toolscope-fortnight-'));
  const hand = createManualClock(startMs);
  const config = readConfig({
    environment: {
      TOOLSCOPE_DATA_DIR: join(folder, 'data'),
      TOOLSCOPE_PORT: '0',
      TOOLSCOPE_FINGERPRINT_KEY: 'the-key-of-the-fortnight',
    },
  });
  const service = await startService(config, { log: pino({ level: 'silent' }), adviceClock: hand.clock });
  const get = async (path: string): Promise<Response> => {
    const response = await fetchWhenNotBusy(`${service.url}${path}`);
    if (!response.ok) throw new Error(`GET ${path}: ${response.status} ${await response.text()}`);
    return response;
  };
  let sent = 0;
  return {
    async ask<T>(path: string, query: Readonly<Record<string, string | number>> = {}) {
      const text = new URLSearchParams(Object.entries(query).map(([name, value]) => [name, String(value)]));
      // The caller parses it with the contract.
      return (await (await get(`/api/v1/${path}?${text}`)).json()) as T;
    },
    async send(spans) {
      for (let from = 0; from < spans.length; from += SPANS_PER_BODY) {
        const body = encodeTracesJson(spans.slice(from, from + SPANS_PER_BODY));
        const headers = { 'content-type': 'application/json' };
        const response = await fetch(`${service.url}/v1/traces`, { method: 'POST', headers, body });
        if (!response.ok) throw new Error(`${response.status} ${await response.text()}`);
      }
      sent += spans.length;
      await until(async () => {
        const taken = await readMetric(get, ACCEPTED_SPANS);
        return taken === sent && (await readMetric(get, PENDING_CALLS)) === 0 ? true : undefined;
      }, WAIT_LIMIT);
    },
    async markDeploy({ text, server, atMs }) {
      const response = await fetch(`${service.url}/api/v1/annotations`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ text, server, at: new Date(atMs).toISOString() }),
      });
      if (!response.ok) throw new Error(`${response.status} ${await response.text()}`);
    },
    async lookForAdvice(nowMs) {
      const before = await readAdviceRuns(get);
      let { others } = before;
      hand.moveTo(nowMs);
      await until(async () => {
        const rounds = await readAdviceRuns(get);
        if (rounds.done > before.done) return true;
        // One that found the store too slow waits for its next hour, which nothing else brings on this clock.
        if (rounds.others > others) hand.ring();
        others = rounds.others;
        return undefined;
      }, WAIT_LIMIT);
    },
    async stop() {
      await service.close();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

const ADVICE_RUNS = /^toolscope_advice_rounds_total\{result="(\w+)"\} (\d+)$/gm;
const ACCEPTED_SPANS = /^toolscope_ingest_spans_accepted_total (\d+)$/m;
const PENDING_CALLS = /^toolscope_journal_pending_calls (\d+)$/m;

async function readMetric(get: (path: string) => Promise<Response>, pattern: RegExp): Promise<number> {
  return Number(pattern.exec(await (await get('/metrics')).text())?.[1] ?? 0);
}

/** How many rounds have ended, those that looked at every server and those that did not. */
async function readAdviceRuns(get: (path: string) => Promise<Response>) {
  const rounds = { done: 0, others: 0 };
  for (const [, result, count] of (await (await get('/metrics')).text()).matchAll(ADVICE_RUNS))
    rounds[result === 'done' ? 'done' : 'others'] += Number(count);
  return rounds;
}

/** Timers that fire when the clock is moved past them. */
function createManualClock(startMs: number) {
  let nowMs = startMs;
  const timers = new Set<{ readonly atMs: number; readonly callback: () => void }>();
  function fire(isDue: (atMs: number) => boolean): void {
    for (const timer of [...timers].filter(({ atMs }) => isDue(atMs))) {
      timers.delete(timer);
      timer.callback();
    }
  }
  const clock: Clock = {
    now: () => nowMs,
    schedule(ms, callback) {
      const timer = { atMs: nowMs + ms, callback };
      timers.add(timer);
      return () => void timers.delete(timer);
    },
  };
  return {
    clock,
    moveTo(ms: number) {
      nowMs = ms;
      fire((atMs) => atMs <= nowMs);
    },
    /** Fires whatever waits, at the time that it is. */
    ring() {
      fire(() => true);
    },
  };
}
