// A server process as the wire shows it: JSON-RPC messages of both directions with their times go through the observer that
// the wrapper uses, and come out as the spans that it would send. Only the clock and the agent are made up.
import { toSpan } from '../../../src/core/dialects/toolscope-span.ts';
import type { ToolDefinition } from '../../../src/core/model/catalogue.ts';
import type { Instant, SpanIds } from '../../../src/core/observer/observed-call.ts';
import type { ObservedConnection } from '../../../src/core/observer/observed-connection.ts';
import { createObserver } from '../../../src/core/observer/observer.ts';
import { redactCallSteps } from '../../../src/core/observer/redact-call.ts';
import type { OtlpSpan } from '../../../src/core/otlp/span.ts';
import { createResultFlow } from '../../../src/core/result-flow/result-flow.ts';
import { createFingerprinter } from '../../../src/core/values/fingerprint.ts';
import type { CallLog, LoggedCall } from './call-log.ts';
import type { SimulationRandom } from './random.ts';

/** What a tool answers, and how the ledger calls it. */
export interface ScriptedResult {
  readonly kind: LoggedCall['answer'];
  readonly result: object;
  readonly offers: LoggedCall['offers'];
}

/** A text of fewer characters is a word that many results have. */
const MIN_RECOGNISED_LENGTH = 8;

const textBlock = (text: string) => [{ type: 'text', text }];
/** @param values parts of the text that later calls may take */
export const okResult = (text: string, values: readonly string[] = []): ScriptedResult => ({
  kind: 'ok',
  result: { content: textBlock(text) },
  offers: text.length >= MIN_RECOGNISED_LENGTH ? { text: values } : {},
});
export const structuredResult = (value: object, offers: LoggedCall['offers'] = {}): ScriptedResult => ({
  kind: 'ok',
  result: { content: textBlock(JSON.stringify(value)), structuredContent: value },
  offers,
});
export const errorResult = (text: string): ScriptedResult => ({
  kind: 'failed',
  result: { content: textBlock(text), isError: true },
  offers: {},
});
/** As the SDK refuses arguments since 1.26. */
export const refusedResult = (tool: string, why: string): ScriptedResult => ({
  kind: 'refused',
  result: {
    content: textBlock(
      `MCP error -32602: Input validation error: Invalid arguments for tool ${tool}: ${why}`,
    ),
    isError: true,
  },
  offers: {},
});
export const unknownToolResult = (tool: string): ScriptedResult => ({
  kind: 'unknown',
  result: { content: textBlock(`MCP error -32602: Tool ${tool} not found`), isError: true },
  offers: {},
});

export interface ServerProcess {
  readonly server: string;
  readonly version: string;
  readonly transport: 'stdio' | 'http';
  readonly tools: readonly ToolDefinition[];
}

export interface SimulationContext {
  readonly random: SimulationRandom;
  /** Which values results offer and whether agents take them; with numbers of its own, so that it changes nothing else. */
  readonly values: SimulationRandom;
  readonly ledger: CallLog;
  readonly spans: OtlpSpan[];
}

/** One agent with one server, at its own pace. */
export interface SimulatedAgent {
  readonly values: SimulationRandom;
  /** The next thing it does happens so much later. */
  wait(ms: number): void;
  /** The calls from here on carry this plan id, in their `_meta`. */
  startPlan(id: string): void;
  call(tool: string, args: object, answer: ScriptedResult, about?: string): void;
}

const KEY = createFingerprinter(Buffer.from('the key of the fortnight'));

/** Starts a process; its observer remembers catalogues and listings as one of a real server does. */
export function startServerProcess(process: ServerProcess, world: SimulationContext) {
  const { server, version, transport } = process;
  const memory = { flow: createResultFlow(1), isOutlined: false };
  const observer = createObserver<SpanIds>({
    onEnded: (observed) => {
      const steps = redactCallSteps(observed, { capture: 'shape', fingerprinter: KEY }, memory);
      let step = steps.next();
      while (!step.done) step = steps.next();
      world.spans.push(toSpan(step.value));
    },
  });
  return (client: string, startMs: number): SimulatedAgent => {
    const session = `${server}-${world.random.hex(12)}`;
    const connection = observer.connect({
      identify: () => ({
        traceId: world.random.hex(32),
        spanId: world.random.hex(16),
        parentSpanId: '',
      }),
      transport,
      connectionId: session,
      environment: 'production',
      server: { name: server, version },
    });
    return connect({ ...process, client, session, startMs, connection, world });
  };
}

interface AgentConnection extends ServerProcess {
  readonly client: string;
  readonly session: string;
  readonly startMs: number;
  readonly connection: ObservedConnection<SpanIds>;
  readonly world: SimulationContext;
}

const at = (ms: number): Instant => ({ wallUs: Math.round(ms) * 1_000, monotonicMs: ms });

/** Introduces itself and lists the tools, as clients do first. */
function connect(connected: AgentConnection): SimulatedAgent {
  const { server, version, transport, tools, client, session, startMs, connection, world } = connected;
  let atMs = startMs;
  let id = 0;
  let plan = '';
  const info = transport === 'http' ? { transportSession: session } : {};
  const ask = (method: string, params: object, result: object): number => {
    id += 1;
    const askedMs = atMs;
    connection.received({ jsonrpc: '2.0', id, method, params }, at(askedMs), info);
    atMs += world.random.between(5, 400);
    connection.sent({ jsonrpc: '2.0', id, result }, at(atMs), info);
    return askedMs;
  };
  const protocolVersion = '2025-11-25';
  ask(
    'initialize',
    { protocolVersion, clientInfo: { name: client, version: '1.0.0' } },
    { protocolVersion, serverInfo: { name: server, version } },
  );
  const listedMs = ask('tools/list', {}, { tools });
  world.ledger.noteListing({ server, version, session, atMs: listedMs });
  return {
    values: world.values,
    wait(ms) {
      atMs += ms;
    },
    startPlan(id) {
      plan = id;
    },
    call(tool, args, answer, about = '') {
      atMs += world.random.between(1_500, 9_000);
      const meta = plan === '' ? {} : { _meta: { planId: plan } };
      const startedMs = ask('tools/call', { name: tool, arguments: args, ...meta }, answer.result);
      const { kind, offers } = answer;
      const fact = { server, version, session, client, plan, tool, startedMs, args: JSON.stringify(args) };
      world.ledger.note({ ...fact, answer: kind, offers, about });
    },
  };
}
