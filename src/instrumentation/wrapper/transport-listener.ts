// Connects a hooked transport to the observer and adds to each message what only the SDK and the host know.

import { randomUUID } from 'node:crypto';
import type { GuardOptions } from '../../core/guard/guard-policy.ts';
import {
  fieldOf,
  isRecord,
  isRequest,
  isResponse,
  type JsonRpcRequest,
} from '../../core/observer/json-rpc.ts';
import type { CallStart, Instant, ReceivedMessageContext } from '../../core/observer/observed-call.ts';
import type { ObservedConnection } from '../../core/observer/observed-connection.ts';
import type { Observer } from '../../core/observer/observer.ts';
import type { Implementation } from '../../core/observer/request-facts.ts';
import { parseImplementation } from '../../core/observer/request-facts.ts';
import { getActiveCall, type WrapperCall, type WrapperCallIds } from './active-call.ts';
import { type CallContext, readHeader, toCallContext } from './call-context.ts';
import type { CallGuard } from './call-guard.ts';
import type { SettledAnswer } from './call-replays.ts';
import { now } from './clock.ts';
import { noteReceived } from './handler-exchange.ts';
import type { TransportListener } from './hook-transport.ts';
import { openHostSpan } from './host-span.ts';
import { neverThrow } from './never-throw.ts';
import type { ObserveOptions } from './observe-options.ts';
import type { ResolvedOptions } from './resolved-options.ts';
import type { TransportShape } from './sdk-shapes.ts';
import { createSpanIds } from './span-ids.ts';
import { detectTransportKind } from './transport-kind.ts';

export interface ListenerOptions {
  readonly observer: Observer<WrapperCallIds>;
  readonly resolvedOptions: ResolvedOptions;
  readonly callbacks: Pick<ObserveOptions, 'sessionId' | 'planId' | 'principal'>;
  readonly server: Implementation;
  readonly readClient: () => unknown;
  readonly onClosed: () => void;
  /** Reports that the server is connected: at connection time, and hourly while it is in use. */
  readonly announce: (at: Instant) => void;
  readonly guard?: ListenerGuard | undefined;
}

export interface ListenerGuard {
  readonly options: GuardOptions;
  /** Resolves when the guard is loaded; undefined after that. */
  readonly ready: () => Promise<void> | undefined;
  /** Undefined until the guard is loaded. */
  readonly current: () => CallGuard<WrapperCallIds> | undefined;
}

const HOUR_MS = 3_600_000;
const PROTOCOL_VERSION_HEADER = 'mcp-protocol-version';

export function createTransportListener(
  transport: TransportShape,
  { observer, resolvedOptions, callbacks, server, readClient, onClosed, announce, guard }: ListenerOptions,
): TransportListener {
  const kind = detectTransportKind(transport);
  const connection = observer.connect({
    identify: (start) => createCallIds(start, resolvedOptions),
    transport: kind,
    connectionId: getConnectionId(transport),
    environment: resolvedOptions.environment,
    server,
    serverName: resolvedOptions.serverName,
  });
  let announcedAtMs = Number.NEGATIVE_INFINITY;
  const hasCallbacks =
    callbacks.sessionId !== undefined || callbacks.planId !== undefined || callbacks.principal !== undefined;

  function toMessageInfo(request: JsonRpcRequest, extra: unknown): ReceivedMessageContext {
    const transportSession = readTransportSession(transport);
    const info = {
      transportSession,
      protocolVersion: readHeader(extra, PROTOCOL_VERSION_HEADER),
      client: parseImplementation(readClient()) ?? { name: '', version: '' },
    };
    if (!hasCallbacks) return info;
    const context = toCallContext(request, { transport: kind, transportSession, extra });
    return {
      ...info,
      hostSession: runCallback(callbacks.sessionId, context),
      hostPlan: runCallback(callbacks.planId, context),
      hostPrincipal: runCallback(callbacks.principal, context),
    };
  }

  function announceHourly(at: Instant): void {
    if (at.monotonicMs - announcedAtMs < HOUR_MS) return;
    announcedAtMs = at.monotonicMs;
    announce(at);
  }

  announceHourly(now());
  const listener: TransportListener = {
    received(message, extra) {
      const at = now();
      announceHourly(at);
      observer.expire(at);
      noteReceived();
      return connection.received(message, at, isRequest(message) ? toMessageInfo(message, extra) : undefined);
    },
    sent(message, options) {
      const relatedRequestId = fieldOf(options, 'relatedRequestId');
      const transportSession = readTransportSession(transport);
      connection.sent(message, now(), { relatedRequestId, transportSession, parent: getActiveCall() });
    },
    onClosed() {
      connection.closed(now());
      onClosed();
    },
  };
  return guard === undefined
    ? listener
    : { ...listener, ...createGuardHooks(connection, guard, server.name) };
}

function createGuardHooks(
  connection: ObservedConnection<WrapperCallIds>,
  { options, ready, current }: ListenerGuard,
  serverName: string,
) {
  const scope = { options, serverName, catalogue: () => connection.catalogue() };
  return {
    answerInstead: (call: WrapperCall, settle: (answer: SettledAnswer) => void) =>
      current()?.answerInstead(call, scope, settle),
    rewrite(message: unknown): object | undefined {
      const call = isResponse(message) ? connection.find(message.id) : undefined;
      return call && isRecord(message) ? current()?.reviseResponse(call, message) : undefined;
    },
    ready,
  };
}

/** Uses the ids of the host's span if there is one, so that both exports identify the same span. */
function createCallIds(start: CallStart<WrapperCallIds>, resolvedOptions: ResolvedOptions): WrapperCallIds {
  const span = neverThrow(() =>
    openHostSpan(start, start.parent?.ids.hostSpan, resolvedOptions.tracerProvider),
  );
  const { traceId, spanId, parentSpanId } = span?.ids ?? createSpanIds(start);
  return { traceId, spanId, parentSpanId, resolvedOptions, hostSpan: span };
}

function readTransportSession(transport: TransportShape): string {
  const { sessionId } = transport;
  return typeof sessionId === 'string' ? sessionId : '';
}

/** Undefined results and exceptions of a host's function count as unknown. */
function runCallback(
  callback: ((context: CallContext) => string | undefined) | undefined,
  context: CallContext,
): string {
  const value: unknown = neverThrow(() => callback?.(context));
  return typeof value === 'string' ? value : '';
}

const connectionIds = new WeakMap<object, string>();

/** v2's serveStdio may connect a probe and the real server to one pipe, which is the connection. */
function getConnectionId(transport: object): string {
  const wire: unknown = Reflect.get(transport, '_wire');
  const key = typeof wire === 'object' && wire !== null ? wire : transport;
  const id = connectionIds.get(key) ?? randomUUID();
  connectionIds.set(key, id);
  return id;
}
