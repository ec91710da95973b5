// A real HTTP server around the API, over answers that a test writes by hand.
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, request } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import express from 'express';
import { pino } from 'pino';
import { Registry } from 'prom-client';
import { onTestFinished } from 'vitest';
import type { Queries } from '../../../src/contract/queries.ts';
import type { CallRow, SessionRow } from '../../../src/contract/responses.ts';
import type { AlertsService } from '../../../src/service/api/alerts-service.ts';
import { type ApiOptions, createApi } from '../../../src/service/api/api.ts';
import { EventStream } from '../../../src/service/api/event-stream.ts';

export const NOW = Date.UTC(2026, 10, 21, 12);

const range = { fromMs: NOW - 86_400_000, toMs: NOW };

const totals = {
  calls: 3,
  sessions: 1,
  errors: 1,
  errorRate: 1 / 3,
  p50Ms: 4,
  p95Ms: 9.5,
  sessionsOverThirty: 0,
  neverCalledTools: 1,
};

export function callRow(over: Partial<CallRow> = {}): CallRow {
  return {
    traceId: '0af7651916cd43dd8448eb211c80319c',
    spanId: 'b7ad6b7169203331',
    parentSpanId: '',
    startedAt: '2026-11-21T11:59:00.000000Z',
    durationMs: 4.25,
    server: 'notes',
    serverVersion: '1.0.0',
    environment: '',
    client: 'cursor',
    clientVersion: '1',
    protocolVersion: '2025-11-25',
    transport: 'stdio',
    sessionId: 's1',
    sessionSource: 'connection',
    planId: '',
    side: 'server',
    method: 'tools/call',
    tool: 'add',
    target: '',
    outcome: 'ok',
    fault: 'none',
    code: '',
    errorType: '',
    errorMessage: '',
    errorArgument: '',
    errorInResult: false,
    argumentsShape: '{"title":"string(5)"}',
    argumentsFingerprint: '',
    argumentsBytes: 17,
    resultShape: '',
    resultFingerprint: '',
    resultBytes: 2,
    ...over,
  };
}

const session: SessionRow = {
  sessionId: 's1',
  source: 'connection',
  confidence: 'medium',
  planId: '',
  server: 'notes',
  client: 'cursor',
  calls: 3,
  requests: 5,
  errors: 1,
  tools: ['add'],
  startedAt: '2026-11-21T11:58:00.000000Z',
  endedAt: '2026-11-21T11:59:00.000000Z',
  loops: 0,
  connected: true,
  listedTools: true,
  lastFault: 'none',
};

const COMPARABLE_CALL = {
  argumentFingerprints: {},
  argumentsMaskedFingerprint: '',
  resultMaskedFingerprint: '',
  resultSimilarity: '',
  resultLines: 0,
  errorFingerprint: '',
  fingerprintKeyId: 'k1',
};

const NO_PROPORTION = { value: null, n: 0, low: null, high: null };

/** One of everything. */
const QUERIES: Queries = {
  summary: async (query) => ({
    range: query.range,
    verdict: 'healthy',
    sentence: '3 calls, 1 error.',
    totals,
    previous: totals,
    previousRange: null,
    freshness: {
      lastEventAt: null,
      serversReporting: 1,
      pendingCalls: 0,
      droppedByProducers: 0,
      rejectedSpans: 0,
    },
  }),
  trend: async ({ range }) => ({ range, bucketSeconds: 60, points: [] }),
  clients: async ({ range }) => ({ range, counted: range, clients: [], rest: { clients: 0, calls: 0 } }),
  protocols: async ({ range }) => ({ range, protocols: [], window: { fromMs: 0, calls: 0, isWhole: true } }),
  attention: async ({ range }) => ({
    range,
    items: [],
    totals: {
      ...{ storm: 0, looping: 0, all_failed: 0, advice: 0, missing_tool: 0 },
      ...{ ended_after_error: 0, zero_calls: 0, over_thirty: 0 },
    },
  }),
  servers: async () => ({ servers: [] }),
  tools: async (query) => ({ range: query.range, tools: [] }),
  errors: async (query) => ({ range: query.range, errors: [] }),
  series: async (query) => ({ range: query.range, metric: query.metric, bucketSeconds: 60, series: [] }),
  neverCalled: async () => ({ tools: [], unknownCatalogues: [] }),
  sessions: async (query) => ({ range: query.range, sessions: [session], total: 1, nextCursor: null }),
  sessionCounts: async (query) => ({
    range: query.range,
    total: 1,
    overThirty: 0,
    looping: 0,
    allFailed: 0,
    endedOnError: 0,
    paused: 0,
    oneCall: 0,
    uncalled: 0,
    booting: 0,
    cut: 0,
    callsPerSession: [{ from: 0, to: null, sessions: 1 }],
    uncalledBy: [],
  }),
  session: async () => ({
    session,
    calls: [{ ...callRow(), ...COMPARABLE_CALL }],
    loops: [],
    consideredNotFlagged: { whyNot: null, limits: null, notes: [] },
    nextCursor: null,
  }),
  loops: async (query) => ({
    range: query.range,
    loops: [],
    total: 0,
    active: 0,
    wastedCalls: 0,
    nextCursor: null,
  }),
  storms: async (query) => ({ range: query.range, storms: [], total: 0, active: 0, nextCursor: null }),
  backtest: async (query) => ({ range: query.range, sessions: [], total: 0, nextCursor: null }),
  calls: async () => ({ range, calls: [callRow()], nextCursor: null }),
  exportCalls: async () => ({ calls: [], nextCursor: null }),
  countCalls: async () => 0,
  callValues: async (query) => ({ range: query.range, total: 1, isWhole: true, values: [], patterns: [] }),
  tool: async (tool, query) => ({
    range: query.range,
    server: query.server,
    tool,
    listed: 'current',
    calls: 0,
    sessions: 0,
    errorRate: NO_PROPORTION,
    p50Ms: null,
    p95Ms: null,
    resultTokensP95: null,
    results: { n: 0, structured: 0, json: 0 },
    next: { n: 0, sameCall: 0, changedArguments: 0, otherTool: 0, gaveUp: 0, recovered: 0 },
    triesPerSuccess: null,
    loopShare: NO_PROPORTION,
    versions: [],
    failures: [],
    arguments: [],
    before: [],
    after: [],
    confusedWith: [],
    byClient: [],
    bySize: [],
    advice: [],
    sequence: { fromMs: query.range.fromMs, calls: 0, isWhole: true },
  }),
  toolColumns: async (query) => ({
    range: query.range,
    columns: [],
    removed: [],
    missing: [],
    sequences: [],
  }),
  advice: async (query) => ({
    range: query.range,
    correctCallRate: NO_PROPORTION,
    errorRecoveryRate: NO_PROPORTION,
    advice: [],
  }),
  dismissAdvice: async () => undefined,
  changes: async (query) => ({ range: query.range, changes: [] }),
  annotations: async (query) => ({ range: query.range, annotations: [] }),
  addAnnotation: async ({ text, kind, server = '', environment = '' }) => ({
    ...{ id: 'a1', at: new Date(NOW).toISOString(), kind, server, environment, text },
  }),
  removeAnnotation: async () => undefined,
};

/** Nothing fires. */
const ALERTS: AlertsService = {
  list: () => ({ rules: [], alerts: [], receivers: [], rulesFile: null }),
  events: async (query) => ({ range: query.range, events: [] }),
  deliveries: () => ({ deliveries: [] }),
  silences: () => ({ silences: [] }),
  addSilence: async ({ matchers, comment, durationSeconds }) => ({
    id: 'silence-1',
    matchers,
    comment,
    createdAt: new Date(NOW).toISOString(),
    expiresAt: new Date(NOW + durationSeconds * 1_000).toISOString(),
    state: 'active',
  }),
  endSilence: async () => undefined,
  test: async () => ({ status: 'delivered', httpStatus: 200, reason: '' }),
};

export interface ServedApi {
  readonly url: string;
  readonly port: number;
  readonly stream: EventStream;
  readonly app: ReturnType<typeof createApi>;
}

/** Serves until the test is over. */
export async function serveApi(
  over: Partial<Omit<ApiOptions, 'queries' | 'alerts'>> & {
    readonly questions?: Partial<Queries>;
    readonly alerts?: Partial<AlertsService>;
  } = {},
): Promise<ServedApi> {
  const dashboardDirectory = mkdtempSync(join(tmpdir(), 'toolscope-dashboard-'));
  mkdirSync(join(dashboardDirectory, 'assets'));
  writeFileSync(join(dashboardDirectory, 'index.html'), '<!doctype html><title>Toolscope</title>');
  writeFileSync(join(dashboardDirectory, 'assets', 'main-abc123.js'), 'export {};\n');
  const stream = over.stream ?? new EventStream({ now: () => NOW });
  const app = createApi({
    receiver: express.Router().post('/v1/traces', (_req, res) => void res.json({})),
    stream,
    phase: () => 'ready',
    isStoreReachable: async () => true,
    metrics: new Registry(),
    dashboardDirectory,
    token: undefined,
    ingestToken: undefined,
    allowedHosts: [],
    version: '0.0.0-test',
    now: () => NOW,
    log: pino({ level: 'silent' }),
    ...over,
    queries: () => ({ ...QUERIES, ...over.questions }),
    alerts: () => ({ ...ALERTS, ...over.alerts }),
    maintenance: () => ({
      purge: () => Promise.reject(new Error('nobody purges here')),
      backup: () => Promise.reject(new Error('nobody backs up here')),
    }),
    controlKey: 'key of the data directory',
  });
  const server = createServer(app).listen(0, '127.0.0.1');
  await new Promise((resolve) => server.once('listening', resolve));
  onTestFinished(async () => {
    stream.close();
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
    rmSync(dashboardDirectory, { recursive: true, force: true });
  });
  // A TCP server's address is an object.
  const { port } = server.address() as AddressInfo;
  return { url: `http://127.0.0.1:${port}`, port, stream, app };
}

export interface RawResponse {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly body: string;
}

/** A request whose Host, Origin and cookies are up to the test; fetch sets or forbids those. */
export function rawRequest(
  port: number,
  options: { path: string; method?: string; headers?: Record<string, string>; body?: string },
): Promise<RawResponse> {
  const { path, method = 'GET', headers = {}, body = '' } = options;
  return new Promise((resolve, reject) => {
    const sent = request({ host: '127.0.0.1', port, path, method, headers }, (res) => {
      const chunks: Buffer[] = [];
      res.on('data', (chunk: Buffer) => chunks.push(chunk));
      res.on('error', reject);
      res.on('end', () =>
        resolve({
          status: res.statusCode ?? 0,
          headers: res.headers,
          body: Buffer.concat(chunks).toString(),
        }),
      );
    });
    sent.on('error', reject).end(body);
  });
}
