// Calls in a real store, and a follower over it whose clock, position and news belong to the test.
import { createHash } from 'node:crypto';
import pino from 'pino';
import { afterAll, beforeAll, beforeEach } from 'vitest';
import { z } from 'zod';
import type { LoopUpdate } from '../../../src/core/model/loop-record.ts';
import {
  DetectionPipeline,
  type DetectionPipelineOptions,
} from '../../../src/service/detection/detection-pipeline.ts';
import { createDetectionStore } from '../../../src/service/detection/detection-store.ts';
import type { Store } from '../../../src/service/store/store.ts';
import { insertRows, startTestEngine, type TestEngine } from '../../support/engine.ts';

const DAY_MS = 86_400_000;
/** Noon of yesterday, because the engine deletes old rows by its own clock. */
export const NOW = (Math.floor(Date.now() / DAY_MS) - 1) * DAY_MS + DAY_MS / 2;

export const NODE = '00112233aabbccdd';

export const decimalFingerprint = (text: string): string =>
  text === '' ? '0' : createHash('md5').update(text).digest().readBigUInt64BE().toString();

export interface PlannedCall {
  readonly session: string;
  /** Microseconds since the epoch. */
  readonly startedUs: number;
  readonly tool: string;
  readonly argument: string;
  /** What came back; empty for unknown. */
  readonly answer: string;
  readonly outcome?: string;
  readonly errorCode?: string;
  readonly errorMessage?: string;
  readonly durationUs?: number;
  readonly source?: string;
}

let spans = 0;

/** `YYYY-MM-DD hh:mm:ss.ffffff` in UTC. */
export function columnTime(us: number): string {
  const iso = new Date(Math.floor(us / 1000)).toISOString();
  return `${iso.slice(0, 10)} ${iso.slice(11, 23)}${String(us % 1000).padStart(3, '0')}`;
}

export function toPlannedRow(call: PlannedCall, ingestSeq: number): Record<string, unknown> {
  spans += 1;
  const failed = call.outcome !== undefined && call.outcome !== 'ok';
  return {
    trace_id: spans.toString(16).padStart(32, '0'),
    span_id: spans.toString(16).padStart(16, '0'),
    server_name: 'notes',
    environment: 'production',
    client_name: 'cursor',
    session_id: call.session,
    session_source: call.source ?? 'connection',
    session_confidence: 'medium',
    plan_id: 'plan-1',
    side: 'server',
    method: 'tools/call',
    tool_name: call.tool,
    started_at: columnTime(call.startedUs),
    duration_us: call.durationUs ?? 20_000,
    outcome: call.outcome ?? 'ok',
    fault: failed ? 'server' : 'none',
    error_code: call.errorCode ?? '',
    error_message: call.errorMessage ?? '',
    fingerprint_key_id: 'k1',
    arguments_fingerprint: decimalFingerprint(call.argument),
    arguments_masked_fingerprint: decimalFingerprint(call.argument),
    argument_fingerprints: { query: decimalFingerprint(call.argument) },
    arguments_bytes: 40,
    result_fingerprint: decimalFingerprint(call.answer),
    result_masked_fingerprint: decimalFingerprint(call.answer),
    result_similarity: decimalFingerprint(`~${call.answer}`),
    result_lines: 1,
    result_bytes: 300,
    ingest_node: NODE,
    ingest_seq: ingestSeq,
    ingested_at: columnTime(call.startedUs),
  };
}

/** These tests read no stats, and computing them is nine tenths of an insert. Sessions are still counted. */
export async function dropStatViews(store: Store): Promise<void> {
  const views = await store.query({
    sql: `SELECT name FROM system.tables WHERE database = currentDatabase() AND engine = 'MaterializedView'
            AND name LIKE '%_from_calls' AND name != 'sessions_from_calls'`,
    row: z.object({ name: z.string().regex(/^\w+$/) }),
  });
  for (const { name } of views) await store.command(`DROP VIEW ${name}`);
}

/** Takes calls as the ingest does: each gets the next position, a batch is an insert. */
export class TestIntake {
  taken = 0;
  readonly #store: Store;

  constructor(store: Store) {
    this.#store = store;
  }

  async take(...calls: PlannedCall[]): Promise<void> {
    const rows = calls.map((call, at) => toPlannedRow(call, this.taken + at + 1));
    await insertRows(this.#store, 'calls', rows);
    this.taken += calls.length;
  }
}

export interface StartedDetection {
  readonly following: DetectionPipeline;
  readonly news: LoopUpdate[];
}

export interface DetectionState {
  nowMs: number;
  /** Survives a restart, as the file does. */
  position: number;
}

export function startDetection(
  { store, state, intake }: DetectionSetup,
  over: Partial<DetectionPipelineOptions> = {},
): StartedDetection {
  const news: LoopUpdate[] = [];
  const following = new DetectionPipeline({
    store: createDetectionStore(store),
    position: {
      read: async () => state.position,
      write: async (position) => {
        state.position = position;
      },
    },
    node: NODE,
    committedOffset: () => intake.taken,
    now: () => state.nowMs,
    pause: async () => undefined,
    onLoopChanges: (notices) => void news.push(...notices),
    log: pino({ level: 'silent' }),
    ...over,
  });
  return { following, news };
}

export interface DetectionSetup {
  store: Store;
  state: DetectionState;
  intake: TestIntake;
}

/** One engine for the tests of a file; each test begins with empty tables at `NOW`. */
export function setUpDetection(): DetectionSetup {
  const setup = {} as DetectionSetup;
  let engine: TestEngine;
  beforeAll(async () => {
    engine = await startTestEngine();
    setup.store = engine.store;
    await dropStatViews(setup.store);
  });
  afterAll(() => engine.stop());
  beforeEach(async () => {
    for (const table of ['calls', 'sessions', 'loops', 'storms', 'tools'])
      await setup.store.command(`TRUNCATE TABLE ${table}`);
    setup.state = { nowMs: NOW, position: 0 };
    setup.intake = new TestIntake(setup.store);
  });
  return setup;
}
