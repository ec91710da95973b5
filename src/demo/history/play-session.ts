// Plays a session on a simulated clock: the MCP messages of both directions go through the observer that `observe()`
// uses, so that its calls are classified, redacted and assigned to sessions like those of a real server.

import type { Instant, SpanIds } from '../../core/observer/observed-call.ts';
import type { Observer } from '../../core/observer/observer.ts';
import type { OtlpSpan } from '../../core/otlp/span.ts';
import type { SimulatedSession } from './plan-sessions.ts';
import type { SimulatedAnswer, SimulatedDependency } from './simulated-server.ts';
import { SIMULATED_ENVIRONMENT, type Story } from './story.ts';

interface PlayOptions {
  readonly observer: Observer<SpanIds>;
  readonly story: Story;
  /** Called for each query or request of a tool, before its call ends. */
  readonly onDependency: (span: OtlpSpan) => void;
}

/** Other clients still know the tools from an earlier session. */
const LISTING_SHARE = 0.3;
const PROTOCOL_VERSION = '2025-11-25';

export function playSession(session: SimulatedSession, { observer, story, onDependency }: PlayOptions): void {
  const { id, server, client, user, planId, task, dice } = session;
  const version = server.versionAt(story, session.startMs);
  const isHttp = server.transport === 'http';
  const context = {
    ...(isHttp && { transportSession: id }),
    ...(planId !== '' && { hostPlan: planId }),
    hostPrincipal: user,
  };
  const connection = observer.connect({
    identify: () => ({ traceId: dice.hex(16), spanId: dice.hex(8), parentSpanId: '' }),
    transport: server.transport,
    connectionId: id,
    environment: SIMULATED_ENVIRONMENT,
    server: { name: server.name, version },
  });
  let nowMs = session.startMs;
  let requests = 0;
  const request = (
    method: string,
    params: object,
    toAnswer: (ids: SpanIds | undefined) => Answered,
  ): void => {
    requests += 1;
    const open = connection.received(
      { jsonrpc: '2.0', id: requests, method, params },
      toInstant(nowMs),
      context,
    );
    const { result, tookMs } = toAnswer(open?.ids);
    nowMs += tookMs;
    connection.sent(
      { jsonrpc: '2.0', id: requests, result },
      toInstant(nowMs),
      isHttp ? { transportSession: id } : {},
    );
  };
  const serverInfo = { name: server.name, version };
  const handshake = { protocolVersion: PROTOCOL_VERSION, capabilities: { tools: {} }, serverInfo };
  request('initialize', { protocolVersion: PROTOCOL_VERSION, capabilities: {}, clientInfo: client }, () => ({
    result: handshake,
    tookMs: 2,
  }));
  if (dice.chance(LISTING_SHARE))
    request('tools/list', {}, () => ({ result: { tools: server.listTools(version) }, tookMs: 3 }));
  task({
    dice,
    call(tool, args) {
      const atMs = nowMs;
      const answer = server.answer({ tool, arguments: args, atMs, story, dice });
      request('tools/call', { name: tool, arguments: args }, (ids) => {
        if (ids) for (const span of toSpans(answer, { ids, atMs, id: () => dice.hex(8) })) onDependency(span);
        return { result: answer.result, tookMs: toDuration(answer) };
      });
      nowMs += dice.spread(5_000);
      return answer.result;
    },
  });
  connection.closed(toInstant(nowMs));
}

interface Answered {
  readonly result: object;
  readonly tookMs: number;
}

/** One clock for both: simulated time does not drift. */
const toInstant = (ms: number): Instant => ({ wallUs: Math.round(ms * 1_000), monotonicMs: ms });

const toDuration = ({ ownMs, dependencies }: SimulatedAnswer): number =>
  dependencies.reduce((sum, { durationMs }) => sum + durationMs, ownMs);

interface SpanOptions {
  readonly ids: SpanIds;
  readonly atMs: number;
  readonly id: () => string;
}

/** One dependency after the other, after half of the tool's own work. */
function toSpans({ ownMs, dependencies }: SimulatedAnswer, { ids, atMs, id }: SpanOptions): OtlpSpan[] {
  let startMs = atMs + ownMs / 2;
  return dependencies.map((dependency) => {
    const startUs = Math.round(startMs * 1_000);
    startMs += dependency.durationMs;
    return {
      ...{ traceId: ids.traceId, spanId: id(), parentSpanId: ids.spanId },
      ...{ name: dependency.name, kind: 'client', startUs, endUs: Math.round(startMs * 1_000) },
      attributes: toAttributes(dependency),
      ...{ events: [], links: [] },
      status: { code: dependency.failed ? 2 : 0, message: '' },
      scope: { name: 'simulated', version: '' },
      resource: {},
    };
  });
}

function toAttributes({ kind, name, target, failed }: SimulatedDependency) {
  const [verb = '', table = ''] = name.split(' ');
  if (kind === 'db')
    return {
      'db.system.name': target,
      'db.operation.name': verb,
      'db.collection.name': table,
      'db.namespace': 'shop',
    };
  const url = `https://${target}/api`;
  return { 'http.request.method': verb, 'url.full': url, ...(failed && { 'error.type': '503' }) };
}
