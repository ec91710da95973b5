// Rows of `calls` as the ingest writes them, drawn from a seed: sessions of several clients against several servers, with
// errors, interim rounds, requests that are not tool calls, and sessions that cross midnight.

import { createHash } from 'node:crypto';

export interface CallRow {
  [column: string]: string | number | Record<string, string>;
  trace_id: string;
  span_id: string;
  server_name: string;
  server_version: string;
  environment: string;
  client_name: string;
  client_version: string;
  session_id: string;
  session_source: string;
  plan_id: string;
  side: string;
  method: string;
  tool_name: string;
  started_at: string;
  duration_us: number;
  outcome: string;
  fault: string;
  error_code: string;
}

/** Mulberry32: the same seed draws the same rows. */
export function createRowRandom(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let t = Math.imul(state ^ (state >>> 15), 1 | state);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 4294967296;
  };
}

const hex = (text: string, digits: number): string =>
  createHash('md5').update(text).digest('hex').slice(0, digits);
export const decimalOf = (hexText: string): string => BigInt(`0x${hexText}`).toString();

/** `YYYY-MM-DD hh:mm:ss.ffffff` in UTC. */
export function rowTime(us: number): string {
  const iso = new Date(Math.floor(us / 1000)).toISOString();
  return `${iso.slice(0, 10)} ${iso.slice(11, 23)}${String(us % 1000).padStart(3, '0')}`;
}

const OUTCOMES: readonly (readonly [outcome: string, fault: string, code: string, weight: number])[] = [
  ['ok', 'none', '', 90],
  ['tool_error', 'server', 'ENOENT', 3],
  ['tool_error', 'client', 'HTTP_404', 1],
  ['invalid_arguments', 'client', '-32602', 2],
  ['exception', 'server', 'TypeError', 1],
  ['cancelled', 'none', '', 1],
  ['input_required', 'none', '', 1],
  ['blocked', 'none', '', 1],
];

export interface RowsOptions {
  readonly seed: number;
  readonly count: number;
  /** Microseconds since the epoch. */
  readonly fromUs: number;
  readonly spanUs: number;
}

interface RowRandom {
  readonly seed: number;
  readonly random: () => number;
  pick<T>(items: readonly T[], bias?: number): T;
}

const TOOLS = Array.from({ length: 24 }, (_, i) => `tool_${String(i).padStart(2, '0')}`);
const WEIGHTED = OUTCOMES.flatMap((entry) => Array.from({ length: entry[3] }, () => entry));
const OK = OUTCOMES[0] as (typeof OUTCOMES)[number];

function createRowRandomChoices(seed: number): RowRandom {
  const random = createRowRandom(seed);
  return {
    seed,
    random,
    // Within bounds, as a random number is below one.
    pick: <T>(items: readonly T[], bias = 1): T => items[Math.floor(random() ** bias * items.length)] as T,
  };
}

/** @returns at least `count` rows, whole sessions, in order of arrival */
export function createCallRows({ seed, count, fromUs, spanUs }: RowsOptions): CallRow[] {
  const draw = createRowRandomChoices(seed);
  const rows: CallRow[] = [];
  for (let session = 0; rows.length < count; session++)
    rows.push(...createSession(draw, session, fromUs + draw.random() * spanUs));
  rows.sort((a, b) => (a.started_at < b.started_at ? -1 : 1));
  for (const [at, row] of rows.entries()) {
    row['ingest_seq'] = at + 1;
    // Groups of 256 are acknowledged together.
    row['ingested_at'] = rows[Math.min(rows.length - 1, at - (at % 256) + 255)]?.started_at ?? row.started_at;
  }
  return rows;
}

function createSession({ seed, random, pick }: RowRandom, session: number, startUs: number): CallRow[] {
  const length = random() < 0.06 ? 31 + Math.floor(random() * 60) : 2 + Math.floor(random() * 14);
  const sessionId = random() < 0.05 ? '' : `${hex(`s${seed}${session}`, 8)}-${hex(`u${seed}${session}`, 12)}`;
  const shared = {
    server_name: pick(['notes', 'files', 'search']),
    server_version: pick(['1.4.2', '1.4.2', '1.5.0']),
    environment: pick(['production', 'production', 'production', 'staging']),
    client_name: pick(['claude-code', 'cursor', 'vscode']),
    session_id: sessionId,
    session_source: sessionId === '' ? 'none' : 'connection',
    session_confidence: sessionId === '' ? 'none' : 'medium',
  };
  const values = Array.from({ length: 6 }, (_, i) => hex(`v${seed}${session}${i}`, 16));
  let us = startUs;
  return Array.from({ length }, (_, at) => {
    us += 50_000 + random() * 20e6;
    const isTool = at > 1;
    const id = `${seed}.${session}.${at}`;
    return {
      ...createRequest({ seed, random, pick }, id, us),
      ...shared,
      plan_id: at % 7 === 3 && session % 5 === 0 ? `plan-${session}` : '',
      request_id: String(at),
      ...(isTool
        ? createToolCall({ seed, random, pick }, id, values)
        : { method: at === 0 ? 'initialize' : 'tools/list' }),
    };
  });
}

function createRequest({ random }: RowRandom, id: string, us: number) {
  return {
    trace_id: hex(`t${id}`, 32),
    span_id: hex(`p${id}`, 16),
    parent_span_id: '',
    client_version: '2.1.0',
    protocol_version: '2025-11-25',
    transport: 'stdio',
    principal: '',
    side: random() < 0.01 ? 'client' : 'server',
    tool_name: '',
    target: '',
    started_at: rowTime(Math.floor(us)),
    duration_us: Math.floor(Math.exp(6 + 6 * random())),
    ...outcomeColumns(OK),
    error_in_result: 0,
    fingerprint_key_id: 'k3f9a1',
    arguments_fingerprint: '0',
    arguments_masked_fingerprint: '0',
    argument_fingerprints: {},
    arguments_shape: '',
    arguments_bytes: 0,
    result_fingerprint: decimalOf(hex(`r${id}`, 16)),
    result_masked_fingerprint: decimalOf(hex(`r${id}`, 16)),
    result_similarity: decimalOf(hex(`m${id}`, 16)),
    result_shape: '',
    result_lines: Math.floor(random() * 80),
    result_bytes: Math.floor(random() * 8000),
    catalogue_hash: '90ab12cd34ef5678',
    attributes: {},
    ingest_node: 'node-1',
    ingest_seq: 0,
    ingested_at: '',
  };
}

function outcomeColumns([outcome, fault, code]: (typeof OUTCOMES)[number]) {
  return {
    outcome,
    fault,
    error_code: code,
    error_type: code === 'TypeError' ? code : '',
    error_message: fault === 'none' ? '' : `${code}: "…" was not found at line <n>`,
    error_argument: code === '-32602' ? 'path' : '',
  };
}

function createToolCall({ random, pick }: RowRandom, id: string, values: readonly string[]) {
  const tool = pick(TOOLS, 2);
  const argument = random() < 0.5 ? pick(values) : hex(`a${id}`, 16);
  const result = random() < 0.35 ? hex(`r${tool}${argument}`, 16) : hex(`r${id}`, 16);
  return {
    method: 'tools/call',
    tool_name: tool,
    ...outcomeColumns(pick(WEIGHTED)),
    arguments_fingerprint: decimalOf(argument),
    arguments_masked_fingerprint: decimalOf(argument),
    argument_fingerprints: { path: decimalOf(hex(argument, 16)) },
    arguments_shape: `{"path":"string:${12 + Math.floor(random() * 40)}"}`,
    arguments_bytes: 20 + Math.floor(random() * 300),
    result_fingerprint: decimalOf(result),
    result_masked_fingerprint: decimalOf(result),
    result_similarity: decimalOf(hex(`m${result}`, 16)),
    result_shape: `[1,{"type":"=text","text":"string:${Math.floor(random() * 4000)}"}]`,
  };
}
