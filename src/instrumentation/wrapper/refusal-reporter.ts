// Reports requests that an HTTP handler refused before a server object received them, as calls that failed with the
// status.

import { randomUUID } from 'node:crypto';
import { toHttpRefusal } from '../../core/observer/http-refusal.ts';
import { isRequest, isResponse } from '../../core/observer/json-rpc.ts';
import type { Observer } from '../../core/observer/observer.ts';
import { type Implementation, UNKNOWN_IMPLEMENTATION } from '../../core/observer/request-facts.ts';
import { BoundedMap } from '../../core/values/bounded-map.ts';
import type { WrapperCallIds } from './active-call.ts';
import type { RefusedRequest } from './hook-handler.ts';
import type { ResolvedOptions } from './resolved-options.ts';
import { createSpanIds } from './span-ids.ts';

export interface RefusalReporter {
  /** Takes note of an observed server, which refused requests without a name of their own may belong to. */
  onServer(server: Implementation): void;
  report(refused: RefusedRequest, resolvedOptions: ResolvedOptions): void;
}

/** Names come from the host, which may generate one per tenant; two are as unclear as many. */
const MAX_SERVERS = 2;

export function createRefusalReporter(observer: Observer<WrapperCallIds>): RefusalReporter {
  const servers = new BoundedMap<string, Implementation>(MAX_SERVERS);
  return {
    onServer: (server) => void servers.set(server.name, server),
    report(refused, resolvedOptions) {
      const [server, ...others] = servers.values();
      const knownServer = others.length === 0 ? server : undefined;
      reportRefusal(refused, { observer, resolvedOptions, knownServer });
    },
  };
}

interface RefusalRoute {
  readonly observer: Observer<WrapperCallIds>;
  readonly resolvedOptions: ResolvedOptions;
  /** The only server of the process that was observed, if there is exactly one. */
  readonly knownServer: Implementation | undefined;
}

function reportRefusal(
  { request, response, headers, status, startedAt, endedAt }: RefusedRequest,
  { observer, resolvedOptions, knownServer }: RefusalRoute,
): void {
  const connection = observer.connect({
    identify: (start) => ({ ...createSpanIds(start), resolvedOptions, hostSpan: undefined }),
    transport: 'http',
    connectionId: randomUUID(),
    environment: resolvedOptions.environment,
    server: knownServer ?? UNKNOWN_IMPLEMENTATION,
    serverName: resolvedOptions.serverName,
  });
  const answers = (Array.isArray(response) ? response : [response]).filter(isResponse);
  for (const message of Array.isArray(request) ? request : [request]) {
    if (!isRequest(message)) continue;
    connection.received(message, startedAt, {
      transportSession: headers.get('mcp-session-id') ?? '',
      protocolVersion: headers.get('mcp-protocol-version') ?? '',
    });
    const error = toHttpRefusal(status, response);
    const answer = answers.find(({ id }) => id === message.id) ?? { jsonrpc: '2.0', id: message.id, error };
    connection.sent(answer, endedAt);
  }
}
