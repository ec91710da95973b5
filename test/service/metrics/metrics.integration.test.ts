// The names on /metrics, of a real service that has taken calls, answered questions and lost its engine once. Dashboards and
// alerts of other people are built on them: a name that goes is said in the changelog.
import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import {
  createServiceFolder,
  type InProcessService,
  removeServiceFolder,
  startInProcessService,
} from '../../support/in-process-service.ts';
import { until } from '../../support/service.ts';
import { toolCall } from '../ingest/otlp-document.ts';

const folder = createServiceFolder();
let runningService: InProcessService;
let text = '';

/** The engine is the one child of this process that runs chDB's entry. */
function enginePid(): number {
  const children = readFileSync(`/proc/${process.pid}/task/${process.pid}/children`, 'utf8')
    .trim()
    .split(' ');
  const pid = children.find((child) =>
    readFileSync(`/proc/${child}/cmdline`, 'utf8').includes('engine/child'),
  );
  if (pid === undefined) throw new Error('no engine');
  return Number(pid);
}

const readMetrics = async (): Promise<string> => (await fetch(`${runningService.url}/metrics`)).text();

beforeAll(async () => {
  runningService = await startInProcessService(folder);
  await runningService.send([toolCall(1, Date.now() - 1000), toolCall(2, Date.now() - 500)]);
  await runningService.settled();
  await runningService.ask('tools');
  process.kill(enginePid(), 'SIGKILL');
  text = await until(
    async () => {
      const now = await readMetrics();
      return /^toolscope_engine_restarts_total 1$/m.test(now) && /^toolscope_store_reachable 1$/m.test(now)
        ? now
        : undefined;
    },
    { withinMs: 90_000 },
  );
}, 180_000);

afterAll(async () => {
  await runningService.close();
  removeServiceFolder(folder);
});

/** Of a sample by its name and part of its labels. */
function sampleOf(name: string, labels = ''): number | undefined {
  const line = text
    .split('\n')
    .find((each) => each.startsWith(name) && each.includes(labels) && !each.startsWith('#'));
  return line === undefined ? undefined : Number(line.split(' ').at(-1));
}

describe('GET /metrics', () => {
  test.each<[string, 'counter' | 'gauge' | 'histogram', string]>([
    ['toolscope_build_info', 'gauge', 'after an upgrade, which version runs is the first question'],
    ['toolscope_ingest_spans_received_total', 'counter', 'traffic, before anything is decided'],
    ['toolscope_ingest_spans_accepted_total', 'counter', 'what was promised to be kept'],
    ['toolscope_ingest_spans_duplicate_total', 'counter', 'producers that send again'],
    ['toolscope_ingest_spans_rejected_total', 'counter', 'clocks and ids that are wrong'],
    ['toolscope_ingest_requests_refused_total', 'counter', 'overload and hostile input'],
    [
      'toolscope_ingest_producer_dropped_calls_total',
      'counter',
      'what spools gave up before they could send it',
    ],
    [
      'toolscope_ingest_batches_total',
      'counter',
      'whether shipping goes on, and how often it is tried again',
    ],
    ['toolscope_journal_bytes', 'gauge', 'how near the journal is to refusing'],
    ['toolscope_journal_pending_calls', 'gauge', 'how far the store is behind'],
    ['toolscope_journal_torn_bytes', 'gauge', 'what a crash cut off'],
    ['toolscope_journal_corrupted_records', 'gauge', 'a disk that lies'],
    ['toolscope_store_reachable', 'gauge', 'an alert on it needs no other figure'],
    ['toolscope_store_insert_duration_seconds', 'histogram', 'the store slows down before it falls behind'],
    [
      'toolscope_engine_restarts_total',
      'counter',
      'an engine that dies again and again looks well in between',
    ],
    ['toolscope_query_duration_seconds', 'histogram', 'which page is slow, by what it asks'],
    ['toolscope_http_request_duration_seconds', 'histogram', 'what people wait for'],
    ['toolscope_disk_free_bytes', 'gauge', 'a full disk can be seen coming'],
    ['toolscope_alert_rules_last_reload_successful', 'gauge', 'a mistake in the rules file is noticed'],
    ['process_resident_memory_bytes', 'gauge', 'memory of the service itself'],
  ])('the metrics have %s, a %s, because %s', (name, kind) => {
    expect(text).toContain(`# TYPE ${name} ${kind}\n`);
  });

  test('metric names follow the conventions: one prefix, counters end in _total, base units, and a help text', () => {
    const types = [...text.matchAll(/^# TYPE (\S+) (\S+)$/gm)].map(([, name = '', kind]) => ({ name, kind }));
    const own = types.filter(({ name }) => !/^(process|nodejs)_/.test(name));
    expect(own.length).toBeGreaterThan(20);
    for (const { name, kind } of own) {
      expect(name).toMatch(/^toolscope_[a-z_]+$/);
      expect(name.endsWith('_total'), name).toBe(kind === 'counter');
      expect(name).not.toMatch(/_(ms|milliseconds|kb|mb|minutes)(_|$)/);
      expect(text).toMatch(new RegExp(`^# HELP ${name} [A-Z].*\\.$`, 'm'));
    }
  });

  test('metrics count the events that happened', () => {
    expect(sampleOf('toolscope_ingest_spans_accepted_total')).toBe(2);
    expect(sampleOf('toolscope_journal_pending_calls')).toBe(0);
    expect(sampleOf('toolscope_query_duration_seconds_count', 'query="tools",outcome="answered"')).toBe(1);
    expect(sampleOf('toolscope_store_insert_duration_seconds_count', 'outcome="stored"')).toBeGreaterThan(0);
    expect(sampleOf('toolscope_disk_free_bytes')).toBeGreaterThan(0);
  });
});
