// Sessions with a character of their own for the sessions' pages: an agent that drifts in one argument after an error, a long
// productive one, one that was silent for an hour, clients that call nothing, one that keeps starting over, and a session whose
// server changed its fingerprint key. Numbers that tests name are literals here.

import type { CallRow } from '../../src/contract/calls.ts';
import type { SessionCallRow } from '../../src/contract/sessions.ts';
import type { SessionSource } from '../../src/core/model/session.ts';
import { createCalls, createFixtureRandom } from './fixture-calls.ts';

const MINUTE = 60_000;
/** Tool calls of the long session. */
export const LONG_CALLS = 300;
/** Sessions of the client that keeps starting over, forty seconds apart. */
export const RESTARTS = 8;

interface ScriptStep {
  readonly afterMs?: number;
  readonly tookMs?: number;
  readonly method?: string;
  readonly tool?: string;
  readonly outcome?: SessionCallRow['outcome'];
  readonly fault?: SessionCallRow['fault'];
  readonly code?: string;
  readonly message?: string;
  /** Fingerprints of arguments by name. */
  readonly arguments?: Readonly<Record<string, string>>;
  readonly shape?: string;
  readonly result?: string;
  readonly resultShape?: string;
  readonly keyId?: string;
}

interface ScriptedAgent {
  readonly id: string;
  readonly server: string;
  readonly client: string;
  readonly source: SessionSource;
  readonly startedMs: number;
}

const HANDSHAKE: readonly ScriptStep[] = [
  { method: 'initialize', tookMs: 2 },
  { method: 'tools/list', afterMs: 20, tookMs: 3 },
];

const hash = (text: string): string => {
  const random = createFixtureRandom([...text].reduce((sum, one) => (sum * 31 + one.charCodeAt(0)) | 0, 7));
  return Array.from({ length: 16 }, () => Math.floor(random() * 16).toString(16)).join('');
};

/** Every call of these sessions, oldest first. @param nowMs all lie in the six hours before it */
export function createSessionCalls(nowMs: number): SessionCallRow[] {
  const [template] = createCalls(nowMs);
  if (!template) throw new Error('the fixture has no calls');
  const toCalls = (agent: ScriptedAgent, steps: readonly ScriptStep[]) =>
    toRows({ ...template, ...toCommon(agent) }, steps);
  const at = (minutes: number) => nowMs - minutes * MINUTE;
  const agent = { server: 'github', client: 'cursor', source: 'connection' as const };
  const boots = Array.from({ length: RESTARTS }, (_, i) =>
    toCalls(
      { ...agent, id: `boot-${i}`, client: 'restless', startedMs: at(50) + i * 40_000 },
      HANDSHAKE.slice(0, 1),
    ),
  );
  return [
    ...toCalls({ ...agent, id: 'drifting-limit', startedMs: at(40) }, [...HANDSHAKE, ...driftingAgent()]),
    ...toCalls({ ...agent, id: 'long-work', client: 'claude-code', startedMs: at(300) }, [
      ...HANDSHAKE,
      ...longAgent(),
    ]),
    ...toCalls({ ...agent, id: 'paused-for-an-hour', source: 'trace', startedMs: at(200) }, [
      { tool: 'get_file' },
      { tool: 'get_file', afterMs: 3_000 },
      { tool: 'get_file', afterMs: 62 * MINUTE },
    ]),
    ...toCalls({ ...agent, id: 'looked-around', client: 'vscode', startedMs: at(30) }, HANDSHAKE),
    ...toCalls({ ...agent, id: 'two-keys', startedMs: at(20) }, [
      { tool: 'get_file', arguments: { path: 'a' }, result: 'x' },
      { tool: 'get_file', arguments: { path: 'a' }, result: 'x', afterMs: 2_000, keyId: 'k2' },
    ]),
    ...boots.flat(),
  ];
}

/** Too large a limit, twice, then a smaller one; then the same search goes round with the same answer. */
function driftingAgent(): ScriptStep[] {
  const refused: ScriptStep = {
    tool: 'search_issues',
    outcome: 'invalid_arguments',
    fault: 'client',
    code: '-32602',
    message: 'limit must be <= <n>',
    arguments: { query: 'q1', limit: 'l500' },
    shape: '{"query":"string:14","limit":"int"}',
    afterMs: 12_000,
    tookMs: 40,
  };
  const found: ScriptStep = {
    tool: 'search_issues',
    arguments: { query: 'q1', limit: 'l100', page: 'p1' },
    shape: '{"query":"string:14","limit":"int","page":"int"}',
    result: 'r1',
    resultShape: '{"content":[1,{"type":"=text","text":"string:1840"}]}',
    tookMs: 240,
  };
  return [
    refused,
    { ...refused, arguments: { query: 'q1', limit: 'l200' } },
    { ...found, afterMs: 14_000 },
    ...Array.from({ length: 9 }, () => ({ ...found, afterMs: 2_000 })),
    {
      tool: 'create_issue',
      arguments: { title: 't' },
      shape: '{"title":"string:30"}',
      afterMs: 75_000,
      tookMs: 900,
    },
  ];
}

const FAILURE: ScriptStep = {
  outcome: 'tool_error',
  fault: 'server',
  code: 'HTTP_502',
  message: 'bad gateway',
  result: '',
};

function longAgent(): ScriptStep[] {
  const random = createFixtureRandom(5);
  const tools = ['search_issues', 'get_file', 'list_commits', 'create_issue'];
  return Array.from({ length: LONG_CALLS }, (_, i): ScriptStep => {
    const fails = i === 40 || i === 41 || i === 222;
    return {
      tool: tools[Math.floor(random() * tools.length)] ?? 'get_file',
      afterMs: 2_000 + random() * 9_000,
      tookMs: 80 + random() * 900,
      arguments: { path: `p${i}` },
      shape: '{"path":"string:22"}',
      result: `r${i}`,
      resultShape: '{"content":[1,{"type":"=text","text":"string:900"}]}',
      ...(fails && FAILURE),
    };
  });
}

function toRows(
  common: CallRow & { readonly startedMs: number },
  steps: readonly ScriptStep[],
): SessionCallRow[] {
  const { startedMs: beganMs, ...rest } = common;
  let endedMs = beganMs;
  return steps.map(({ afterMs = 0, tookMs = 50, ...step }, index) => {
    const startedMs = endedMs + (index === 0 ? 0 : afterMs);
    endedMs = startedMs + tookMs;
    return {
      ...rest,
      ...toOutcome(step),
      ...toFingerprints(step),
      spanId: hash(`${rest.sessionId} ${index}`),
      method: step.method ?? 'tools/call',
      tool: step.tool ?? '',
      startedAt: new Date(startedMs).toISOString(),
      durationMs: tookMs,
    };
  });
}

function toCommon({ id, server, client, source, startedMs }: ScriptedAgent) {
  return {
    startedMs,
    traceId: hash(id).repeat(2),
    server,
    client,
    sessionId: id,
    sessionSource: source,
    transport: source === 'connection' ? 'stdio' : 'http',
  };
}

function toOutcome({ outcome = 'ok', fault = 'none', code = '', message = '' }: ScriptStep) {
  const errorArgument = outcome === 'invalid_arguments' ? 'limit' : '';
  return { outcome, fault, code, errorType: '', errorMessage: message, errorArgument };
}

function toFingerprints({
  tool,
  arguments: given = {},
  shape = '',
  result = '',
  resultShape = '',
  keyId = 'k1',
}: ScriptStep) {
  const argumentFingerprints = Object.fromEntries(
    Object.entries(given).map(([name, value]) => [name, hash(`${name}=${value}`)]),
  );
  return {
    argumentsShape: shape,
    argumentsFingerprint: tool === undefined ? '' : hash(JSON.stringify(argumentFingerprints)),
    argumentsBytes: shape.length,
    resultShape,
    resultFingerprint: result && hash(result),
    resultBytes: tool === undefined ? 420 : 1_900,
    argumentFingerprints,
    argumentsMaskedFingerprint: '',
    resultMaskedFingerprint: '',
    resultSimilarity: '',
    resultLines: 0,
    errorFingerprint: '',
    fingerprintKeyId: keyId,
  };
}
