// Between a hooked transport and the observer: adds to each message what only the SDK and the host know of it.

import { randomUUID } from 'node:crypto';
import type { GuardOptions } from '../../core/guard/policy.ts';
import type { MessageInfo } from '../../core/observer/connection.ts';
import {
  fieldOf,
  isRecord,
  isRequest,
  isResponse,
  type JsonRpcRequest,
} from '../../core/observer/json-rpc.ts';
import type { CallStart, Instant, Party } from '../../core/observer/observed-call.ts';
import type { ObservedConnection, Observer } from '../../core/observer/observer.ts';
import { readParty } from '../../core/observer/request-facts.ts';
import { activeCall, type HostCall, type HostIds } from './active-call.ts';
import type { CallGuard } from './call-guard.ts';
import { now } from './clock.ts';
import type { TransportListener } from './hook-transport.ts';
import { openHostSpan } from './host-tracing.ts';
import { type CallContext, headerOf, toCallContext } from './message-extra.ts';
import { neverThrow } from './never-throw.ts';
import type { ObserveOptions } from './options.ts';
import type { Route } from './route.ts';
import type { TransportShape } from './sdk-shapes.ts';
import { createSpanIds } from './span-ids.ts';
import { transportKindOf } from './transport-kind.ts';

export interface ListenerOptions {
  readonly observer: Observer<HostIds>;
  readonly route: Route;
  readonly host: Pick<ObserveOptions, 'sessionId' | 'planId' | 'principal'>;
  readonly server: Party;
  /** Whoever the SDK says is at the other end. */
  readonly clientOf: () => unknown;
  /** The connection is gone. */
  readonly closed: () => void;
  /** The server is connected; said when it is, and hourly while it is in use. */
  readonly announce: (at: Instant) => void;
  /** Only where the host asked for a guard. */
  readonly guard?: ListenerGuard | undefined;
}

export interface ListenerGuard {
  readonly options: GuardOptions;
  /** Until it is loaded; undefined then. */
  readonly ready: () => Promise<void> | undefined;
  /** Undefined until it is loaded. */
  readonly current: () => CallGuard<HostIds> | undefined;
}

const HOUR_MS = 3_600_000;
const PROTOCOL_VERSION_HEADER = 'mcp-protocol-version';

/** Creates the listener of one transport, which is one connection to the observer. */
export function createTransportListener(
  transport: TransportShape,
  { observer, route, host, server, clientOf, closed, announce, guard }: ListenerOptions,
): TransportListener {
  const kind = transportKindOf(transport);
  const connection = observer.connect({
    identify: (start) => identify(start, route),
    transport: kind,
    connectionId: connectionIdOf(transport),
    environment: route.environment,
    server,
    serverName: route.serverName,
  });
  let announcedAtMs = Number.NEGATIVE_INFINITY;
  const asks = host.sessionId !== undefined || host.planId !== undefined || host.principal !== undefined;

  function infoOf(request: JsonRpcRequest, extra: unknown): MessageInfo {
    const transportSession = sessionOf(transport);
    const info = {
      transportSession,
      protocolVersion: headerOf(extra, PROTOCOL_VERSION_HEADER),
      client: readParty(clientOf()) ?? { name: '', version: '' },
    };
    if (!asks) return info;
    const context = toCallContext(request, { transport: kind, transportSession, extra });
    return {
      ...info,
      hostSession: askHost(host.sessionId, context),
      hostPlan: askHost(host.planId, context),
      hostPrincipal: askHost(host.principal, context),
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
      return connection.received(message, at, isRequest(message) ? infoOf(message, extra) : undefined);
    },
    sent(message, options) {
      const relatedRequestId = fieldOf(options, 'relatedRequestId');
      const transportSession = sessionOf(transport);
      connection.sent(message, now(), { relatedRequestId, transportSession, parent: activeCall() });
    },
    closed() {
      connection.closed(now());
      closed();
    },
  };
  return guard === undefined ? listener : { ...listener, ...guardConnection(connection, guard, server.name) };
}

/** The part of a listener that stands between the client and the host. */
function guardConnection(
  connection: ObservedConnection<HostIds>,
  { options, ready, current }: ListenerGuard,
  serverName: string,
) {
  const scope = { options, serverName, catalogue: () => connection.catalogue() };
  return {
    answerInstead: (call: HostCall) => current()?.answerInstead(call, scope),
    rewrite(message: unknown): object | undefined {
      const call = isResponse(message) ? connection.find(message.id) : undefined;
      return call && isRecord(message) ? current()?.revise(call, message) : undefined;
    },
    ready,
  };
}

/** A call's ids are those of the host's span, if it has one: then both deliveries name the same span. */
function identify(start: CallStart<HostIds>, route: Route): HostIds {
  const span = neverThrow(() => openHostSpan(start, start.parent?.ids.span, route.tracerProvider));
  const { traceId, spanId, parentSpanId } = span?.ids ?? createSpanIds(start);
  return { traceId, spanId, parentSpanId, route, span };
}

function sessionOf(transport: TransportShape): string {
  const { sessionId } = transport;
  return typeof sessionId === 'string' ? sessionId : '';
}

/** A host's function that fails knows nothing. */
function askHost(
  ask: ((context: CallContext) => string | undefined) | undefined,
  context: CallContext,
): string {
  const answer: unknown = neverThrow(() => ask?.(context));
  return typeof answer === 'string' ? answer : '';
}

const connectionIds = new WeakMap<object, string>();

/** v2's serveStdio may put two servers behind one pipe, a probe and the real one: the pipe is the connection. */
function connectionIdOf(transport: object): string {
  const wire: unknown = Reflect.get(transport, '_wire');
  const key = typeof wire === 'object' && wire !== null ? wire : transport;
  const id = connectionIds.get(key) ?? randomUUID();
  connectionIds.set(key, id);
  return id;
}
