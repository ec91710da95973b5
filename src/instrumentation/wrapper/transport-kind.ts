// Which kind of transport an object is. By what it holds first, by its class name second: bundlers rename classes, and
// hosts bring transports of their own. Not knowing is an answer.

import type { TransportKind } from '../../core/model/tool-call.ts';

const KINDS_BY_MEMBER: readonly (readonly [member: string, kind: TransportKind])[] = [
  ['_stdin', 'stdio'],
  // v2's serveStdio puts a channel between the pipe and each server.
  ['_wire', 'stdio'],
  ['_otherTransport', 'memory'],
  ['handlePostMessage', 'sse'],
  ['handleRequest', 'http'],
  // v2's createMcpHandler makes one per request.
  ['_classification', 'http'],
];

const KINDS_BY_NAME: readonly (readonly [pattern: RegExp, kind: TransportKind])[] = [
  [/stdio/i, 'stdio'],
  [/in_?memory/i, 'memory'],
  [/sse/i, 'sse'],
  [/http/i, 'http'],
];

/** Names the kind of a transport, or '' when nothing tells. */
export function detectTransportKind(transport: object): TransportKind {
  const [, byMember] = KINDS_BY_MEMBER.find(([member]) => member in transport) ?? [];
  if (byMember !== undefined) return byMember;
  const name = transport.constructor?.name ?? '';
  return KINDS_BY_NAME.find(([pattern]) => pattern.test(name))?.[1] ?? '';
}
