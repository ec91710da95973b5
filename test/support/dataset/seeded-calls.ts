// Random calls from a seed, as rows of `calls`. What the tests recount is these rows and nothing else.
import type { Fault, Outcome } from '../../../src/core/model/outcome.ts';
import type { SessionSource } from '../../../src/core/model/session.ts';

export interface SeededCall {
  trace_id: string;
  span_id: string;
  parent_span_id: string;
  server_name: string;
  server_version: string;
  environment: string;
  client_name: string;
  client_version: string;
  protocol_version: string;
  /** None if left out. */
  principal?: string;
  transport: string;
  session_id: string;
  session_source: SessionSource;
  session_confidence: string;
  plan_id: string;
  side: 'server' | 'client';
  method: string;
  tool_name: string;
  target: string;
  attributes?: Readonly<Record<string, string>>;
  /** Microseconds since the epoch; the column's text is made when the row is stored. */
  startedUs: number;
  duration_us: number;
  outcome: Outcome;
  fault: Fault;
  error_code: string;
  error_type: string;
  error_message: string;
  error_argument: string;
  error_in_result: number;
  arguments_fingerprint: string;
  arguments_shape: string;
  arguments_bytes: number;
  result_fingerprint: string;
  result_shape: string;
  result_bytes: number;
}

/** Deterministic: mulberry32. */
export function createCallRandom(seed: number): () => number {
  let state = seed;
  return function random() {
    state = (state + 0x6d2b79f5) | 0;
    let t = Math.imul(state ^ (state >>> 15), 1 | state);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 4_294_967_296;
  };
}

const OUTCOMES: readonly (readonly [Outcome, Fault, string])[] = [
  ...Array.from({ length: 20 }, () => ['ok', 'none', ''] as const),
  ['tool_error', 'server', 'RATE_LIMITED'],
  ['tool_error', 'client', 'HTTP_404'],
  ['exception', 'server', 'TypeError'],
  ['invalid_arguments', 'client', '-32602'],
  ['unknown_tool', 'client', '-32602'],
  ['timeout', 'server', 'timeout'],
  ['cancelled', 'none', ''],
  ['abandoned', 'none', ''],
  ['blocked', 'none', ''],
  ['task', 'none', ''],
  ['input_required', 'none', ''],
];

const METHODS = ['tools/call', 'tools/call', 'tools/call', 'tools/call', 'tools/list', 'resources/read'];
const SOURCES: readonly SessionSource[] = ['host', 'transport', 'connection', 'trace'];

let spans = 0;

/** One call with everything set; `over` changes what a test is about. */
export function createSeededCall(over: Partial<SeededCall> & { startedUs: number }): SeededCall {
  spans += 1;
  return {
    trace_id: spans.toString(16).padStart(32, '0'),
    span_id: spans.toString(16).padStart(16, '0'),
    parent_span_id: '',
    server_name: 'notes',
    server_version: '1.0.0',
    environment: 'production',
    client_name: 'cursor',
    client_version: '2.1',
    protocol_version: '2025-06-18',
    transport: 'stdio',
    session_id: 'session-1',
    session_source: 'connection',
    session_confidence: 'medium',
    plan_id: '',
    side: 'server',
    method: 'tools/call',
    tool_name: 'search_notes',
    target: '',
    duration_us: 1_500,
    outcome: 'ok',
    fault: 'none',
    error_code: '',
    error_type: '',
    error_message: '',
    error_argument: '',
    error_in_result: 0,
    arguments_fingerprint: '0',
    arguments_shape: '{"q":"string"}',
    arguments_bytes: 12,
    result_fingerprint: '255',
    result_shape: '',
    result_bytes: 300,
    ...over,
  };
}

export interface SeedOptions {
  readonly seed: number;
  readonly count: number;
  readonly fromMs: number;
  readonly toMs: number;
}

/** Calls of two servers, some forty sessions, all outcomes and methods, in no order. */
export function createSeededCalls({ seed, count, fromMs, toMs }: SeedOptions): SeededCall[] {
  const random = createCallRandom(seed);
  const pick = <T>(list: readonly T[]): T => list[Math.floor(random() * list.length)] as T;
  return Array.from({ length: count }, () => {
    const [outcome, fault, error_code] = pick(OUTCOMES);
    const session = Math.floor(random() ** 2 * 40);
    const server_name = pick(['notes', 'notes', 'files']);
    const method = pick(METHODS);
    const withSession = session !== 0;
    return createSeededCall({
      server_name,
      server_version: pick(['1.0.0', '1.1.0']),
      // An environment is the server process's, so a session has one.
      environment: session % 3 === 0 ? 'staging' : 'production',
      client_name: pick(['cursor', 'claude', '']),
      session_id: withSession ? `session-${session}` : '',
      session_source: withSession ? (SOURCES[session % 4] as SessionSource) : 'none',
      session_confidence: withSession ? 'medium' : 'none',
      plan_id: session % 5 === 0 ? `plan-${session}` : '',
      side: random() < 0.05 ? 'client' : 'server',
      method,
      tool_name: method === 'tools/call' ? `tool_${Math.floor(random() ** 2 * 12)}` : '',
      startedUs: Math.floor((fromMs + random() * (toMs - fromMs)) * 1_000),
      duration_us: Math.floor(Math.exp(6 + random() * 8)),
      outcome,
      fault,
      error_code,
    });
  });
}

/** The row as the journal writes it. */
export function toStoredRow({ startedUs, ...call }: SeededCall): object {
  return {
    ...call,
    started_at: toColumnTime(startedUs),
    ingest_node: 'test',
    ingest_seq: 1,
    ingested_at: toColumnTime(startedUs),
  };
}

/** `YYYY-MM-DD hh:mm:ss.ffffff` in UTC. */
export function toColumnTime(us: number): string {
  const ms = Math.floor(us / 1_000);
  const text = new Date(ms).toISOString().replace('T', ' ').replace('Z', '');
  return `${text}${String(us - ms * 1_000).padStart(3, '0')}`;
}
