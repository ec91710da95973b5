// Calls to look at: three servers, a day of ordinary agents, and four runs with a character of their own (stuck, to and
// fro, long and productive, paging). Numbers that tests name are literals here; only times are drawn, from a fixed seed.

import { createHash } from 'node:crypto';
import type { CallRow } from '../../src/contract/calls.ts';
import type { GuardVerdict } from '../../src/core/model/guard-verdict.ts';
import type { Outcome } from '../../src/core/model/outcome.ts';
import { CONFIDENCE_BY_SOURCE, type SessionSource } from '../../src/core/model/session.ts';

interface ToolSpec {
  readonly server: string;
  readonly tool: string;
  readonly calls: number;
  readonly medianMs: number;
  /** How many calls ended otherwise than well, and how. */
  readonly errors: readonly (readonly [count: number, outcome: Outcome, code: string, message: string])[];
}

/** What ordinary agents do in a day. */
export const ORDINARY_TOOLS: readonly ToolSpec[] = [
  {
    server: 'github',
    tool: 'search_issues',
    calls: 1204,
    medianMs: 240,
    errors: [
      [96, 'invalid_arguments', '-32602', 'limit must be <= <n>'],
      [35, 'tool_error', 'HTTP_404', 'repository <s> not found'],
    ],
  },
  {
    server: 'github',
    tool: 'get_file',
    calls: 823,
    medianMs: 92,
    errors: [[12, 'tool_error', 'HTTP_404', 'no such file <path>']],
  },
  {
    server: 'github',
    tool: 'create_issue',
    calls: 96,
    medianMs: 610,
    errors: [
      [14, 'exception', 'ECONNRESET', 'socket hang up'],
      [5, 'timeout', 'timeout', 'timed out after <n> ms'],
    ],
  },
  { server: 'github', tool: 'list_commits', calls: 310, medianMs: 180, errors: [] },
  {
    server: 'github',
    tool: 'merge_pull_request',
    calls: 12,
    medianMs: 1900,
    errors: [[4, 'tool_error', 'NOT_MERGEABLE', 'NOT_MERGEABLE: checks are pending']],
  },
  {
    server: 'github',
    tool: 'delete_branch_by_name',
    calls: 9,
    medianMs: 300,
    errors: [[9, 'unknown_tool', '-32602', 'Unknown tool <s>']],
  },
  { server: 'notes', tool: 'search', calls: 512, medianMs: 18, errors: [] },
  {
    server: 'notes',
    tool: 'add',
    calls: 204,
    medianMs: 9,
    errors: [[3, 'invalid_output', '-32602', 'structured content does not fit']],
  },
  { server: 'notes', tool: 'list_since', calls: 141, medianMs: 31, errors: [] },
  {
    server: 'weather',
    tool: 'forecast',
    calls: 388,
    medianMs: 420,
    errors: [[21, 'tool_error', 'HTTP_429', 'rate limited, retry after <n> s']],
  },
  { server: 'weather', tool: 'search', calls: 64, medianMs: 130, errors: [] },
];

const CLIENTS: Readonly<Record<string, readonly string[]>> = {
  github: ['claude-code', 'cursor', 'vscode'],
  notes: ['claude-desktop', 'cursor'],
  weather: ['chatgpt'],
};

const SOURCES: Readonly<Record<string, SessionSource>> = {
  github: 'transport',
  notes: 'connection',
  weather: 'trace',
};

const HEX = '0123456789abcdef';
const HOUR = 3_600_000;
/** Nothing lies so near the edge of a day that it falls out of "the last 24 hours" while a file of tests runs. */
const SLACK_MS = 20 * 60_000;
const CALLS_PER_SESSION = 11;

/** A small generator with a fixed seed (mulberry32), so that two runs see the same picture. */
export function createFixtureRandom(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let t = Math.imul(state ^ (state >>> 15), 1 | state);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 4294967296;
  };
}

interface CallStub {
  readonly server: string;
  readonly tool: string;
  readonly outcome: Outcome;
  readonly code: string;
  readonly message: string;
  readonly argument: string;
  readonly durationMs: number;
  readonly argumentsFingerprint: string;
  readonly resultFingerprint: string;
  readonly guard?: GuardVerdict;
}

interface SessionRun {
  readonly id: string;
  readonly source: SessionSource;
  readonly server: string;
  readonly client: string;
  readonly startedMs: number;
  readonly gapMs: number;
  readonly stubs: readonly CallStub[];
}

/** Every call, oldest first. @param nowMs all lie in the 48 hours before it */
export function createCalls(nowMs: number): CallRow[] {
  const random = createFixtureRandom(7);
  const today = ordinaryRuns({ random, endMs: nowMs, share: 1, mark: 'a' });
  const yesterday = ordinaryRuns({ random, endMs: nowMs - 24 * HOUR, share: 0.8, mark: 'b' });
  return [...yesterday, ...today, ...scriptedRuns(nowMs)]
    .flatMap(toRows)
    .sort((a, b) => (a.startedAt < b.startedAt ? -1 : a.startedAt > b.startedAt ? 1 : 0));
}

interface DayOptions {
  readonly random: () => number;
  readonly endMs: number;
  readonly share: number;
  readonly mark: string;
}

function ordinaryRuns({ random, endMs, share, mark }: DayOptions): SessionRun[] {
  return ['github', 'notes', 'weather'].flatMap((server) => {
    const specs = ORDINARY_TOOLS.filter((spec) => spec.server === server);
    const stubs = shuffle(
      specs.flatMap((spec) => toStubs(spec, { random, share })),
      random,
    );
    const count = Math.ceil(stubs.length / CALLS_PER_SESSION);
    return Array.from({ length: count }, (_, at): SessionRun => {
      const clients = CLIENTS[server] ?? [];
      return {
        id: `${mark}${hex(random, 7)}-${hex(random, 4)}-${hex(random, 12)}`,
        source: SOURCES[server] ?? 'none',
        server,
        client: clients[at % clients.length] ?? '',
        startedMs: endMs - 24 * HOUR + SLACK_MS + workday((at + random()) / count) * 23.2 * HOUR,
        gapMs: 2_000 + random() * 40_000,
        stubs: stubs.slice(at * CALLS_PER_SESSION, (at + 1) * CALLS_PER_SESSION),
      };
    });
  });
}

/** Bends an even spread so that two parts of the day are busier. */
function workday(share: number): number {
  return share + 0.045 * Math.sin(share * 4 * Math.PI);
}

function toStubs(spec: ToolSpec, { random, share }: Pick<DayOptions, 'random' | 'share'>): CallStub[] {
  const total = Math.round(spec.calls * share);
  const failures = spec.errors.flatMap(([count, outcome, code, message]) =>
    Array.from({ length: Math.round(count * share * share) }, () => ({ outcome, code, message })),
  );
  return Array.from({ length: total }, (_, at): CallStub => {
    const failure = failures[at] ?? { outcome: 'ok' as const, code: '', message: '' };
    return {
      server: spec.server,
      tool: spec.tool,
      ...failure,
      argument: failure.outcome === 'invalid_arguments' ? 'limit' : '',
      durationMs: spec.medianMs * Math.exp((random() + random() + random() - 1.5) * 1.3),
      argumentsFingerprint: hex(random, 16),
      resultFingerprint: failure.outcome === 'exception' ? '' : hex(random, 16),
    };
  });
}

/** Calls of the four runs; each figure is named by a test. */
export const STUCK_CALLS = 204;
/** A guard in mode `observe` sees the loop after so many calls. */
const CALLS_BEFORE_GUARD = 6;
export const ALTERNATING_CALLS = 44;
export const PRODUCTIVE_CALLS = 45;
export const PAGING_CALLS = 12;

function scriptedRuns(nowMs: number): SessionRun[] {
  const random = createFixtureRandom(11);
  const base = { argument: '', message: '', code: '', outcome: 'ok' as const };
  const stuck: CallStub = {
    ...base,
    server: 'notes',
    tool: 'move',
    outcome: 'tool_error',
    code: 'CONFLICT',
    message: 'CONFLICT: something went wrong, try again',
    durationMs: 12,
    argumentsFingerprint: 'a1b2c3d4e5f60718',
    resultFingerprint: '5566778899aabbcc',
  };
  const read: CallStub = {
    ...base,
    server: 'github',
    tool: 'get_file',
    durationMs: 88,
    argumentsFingerprint: '00000000000000aa',
    resultFingerprint: '00000000000000ab',
  };
  const list: CallStub = {
    ...base,
    server: 'github',
    tool: 'list_commits',
    durationMs: 160,
    argumentsFingerprint: '00000000000000ba',
    resultFingerprint: '00000000000000bb',
  };
  const fresh = (stub: CallStub): CallStub => ({
    ...stub,
    argumentsFingerprint: hex(random, 16),
    resultFingerprint: hex(random, 16),
  });
  const run = { client: 'cursor', source: 'connection' as const };
  return [
    {
      ...run,
      id: 'stuck-on-a-conflict-7f21',
      server: 'notes',
      startedMs: nowMs - 26 * 60_000,
      gapMs: 900,
      stubs: [
        fresh({ ...stuck, outcome: 'ok', code: '', message: '', tool: 'search' }),
        fresh({ ...stuck, outcome: 'ok', code: '', message: '', tool: 'list_since' }),
        ...repeat(stuck, CALLS_BEFORE_GUARD),
        ...repeat({ ...stuck, guard: 'would_block' as const }, STUCK_CALLS - CALLS_BEFORE_GUARD - 2),
      ],
    },
    {
      ...run,
      id: 'to-and-fro-0b9c',
      source: 'transport',
      client: 'vscode',
      server: 'github',
      startedMs: nowMs - 3 * HOUR,
      gapMs: 1_400,
      stubs: Array.from({ length: ALTERNATING_CALLS }, (_, at) => (at % 2 === 0 ? read : list)),
    },
    {
      ...run,
      id: 'long-and-productive-55ad',
      source: 'host',
      client: 'claude-code',
      server: 'github',
      startedMs: nowMs - 7 * HOUR,
      gapMs: 9_000,
      stubs: Array.from({ length: PRODUCTIVE_CALLS }, (_, at) => fresh(at % 5 === 0 ? list : read)),
    },
    {
      ...run,
      id: 'https://agents.example/run/100%25',
      source: 'meta',
      client: 'claude-code',
      server: 'notes',
      startedMs: nowMs - 2 * HOUR,
      gapMs: 700,
      stubs: Array.from({ length: PAGING_CALLS }, () => ({
        ...read,
        server: 'notes',
        tool: 'list_since',
        durationMs: 30,
        resultFingerprint: hex(random, 16),
      })),
    },
  ];
}

function repeat<T>(value: T, times: number): T[] {
  return Array.from({ length: times }, () => value);
}

function toRows(run: SessionRun): CallRow[] {
  const random = createFixtureRandom(run.id.length * 131 + run.stubs.length);
  // Not from the dice: runs of one length have the same.
  const traceId = createHash('sha256')
    .update(`${run.server} ${run.id} ${hex(random, 32)}`)
    .digest('hex')
    .slice(0, 32);
  let atMs = run.startedMs;
  let before: CallRow | undefined;
  const row = (stub: CallStub, method: string): CallRow => {
    const startedMs = atMs;
    atMs += stub.durationMs + run.gapMs * (0.6 + 0.8 * random());
    const own: CallRow = {
      ...toRowBasics(run, traceId),
      ...toRowDetails(stub),
      method,
      spanId: hex(random, 16),
      startedAt: new Date(startedMs).toISOString(),
      argumentOrigins: before?.tool ? [toOriginRow(before)] : [],
    };
    before = own;
    return own;
  };
  const hello: CallStub = {
    server: run.server,
    tool: '',
    outcome: 'ok',
    code: '',
    message: '',
    argument: '',
    durationMs: 1.4,
    argumentsFingerprint: '',
    resultFingerprint: '',
  };
  return [
    row(hello, 'initialize'),
    row(hello, 'tools/list'),
    ...run.stubs.map((stub) => row(stub, 'tools/call')),
  ];
}

/** An id of the result before. */
function toOriginRow({ tool, spanId }: CallRow): CallRow['argumentOrigins'][number] {
  return { path: 'query', kind: 'result', sourceTool: tool, sourcePath: 'items[].id', sourceSpanId: spanId };
}

function toRowBasics(run: SessionRun, traceId: string) {
  return {
    traceId,
    parentSpanId: '',
    serverVersion: '1.4.2',
    environment: run.server === 'weather' ? 'staging' : 'production',
    client: run.client,
    clientVersion: '2.3.0',
    protocolVersion: run.source === 'trace' ? '2026-07-28' : '2025-06-18',
    transport: run.source === 'connection' ? 'stdio' : 'http',
    sessionId: run.id,
    sessionSource: run.source,
    planId: '',
    side: 'server' as const,
    target: '',
    errorInResult: false,
  };
}

const CLIENT_FAULTS: readonly Outcome[] = ['invalid_arguments', 'unknown_tool'];

function toRowDetails(stub: CallStub) {
  const isClient = CLIENT_FAULTS.includes(stub.outcome) || /^HTTP_4/.test(stub.code);
  const fault =
    stub.outcome === 'ok' ? ('none' as const) : isClient ? ('client' as const) : ('server' as const);
  return {
    server: stub.server,
    tool: stub.tool,
    outcome: stub.outcome,
    fault,
    code: stub.code,
    errorType: stub.outcome === 'exception' ? 'Error' : '',
    errorMessage: stub.message,
    errorArgument: stub.argument,
    durationMs: Math.round(stub.durationMs * 1000) / 1000,
    argumentsShape: stub.tool ? '{"query":"string(12)","limit":"number"}' : '',
    argumentsFingerprint: stub.argumentsFingerprint,
    argumentsBytes: stub.tool ? 48 : 0,
    argumentOrigins: [],
    resultShape: stub.tool ? '{"content":[{"type":"text","text":"string(1840)"}]}' : '',
    resultFingerprint: stub.resultFingerprint,
    resultBytes: stub.tool ? 1911 : 420,
    guardVerdict: stub.guard ?? ('' as const),
    guardCode: stub.guard ? 'LOOP_DETECTED' : '',
  };
}

export function confidenceOf(source: SessionSource) {
  return CONFIDENCE_BY_SOURCE[source];
}

function shuffle<T>(values: readonly T[], random: () => number): T[] {
  return values
    .map((value) => ({ value, weight: random() }))
    .sort((a, b) => a.weight - b.weight)
    .map(({ value }) => value);
}

function hex(random: () => number, length: number): string {
  let digits = '';
  for (let at = 0; at < length; at += 1) digits += HEX[Math.floor(random() * 16)];
  return digits;
}
