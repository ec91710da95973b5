// Detects the kind of a transport, first by its members, then by its class name: bundlers rename classes, and
// hosts use custom transports. The result may be unknown.

import type { TransportKind } from '../../core/model/tool-call.ts';

const KINDS_BY_MEMBER: readonly (readonly [member: string, kind: TransportKind])[] = [
  ['_stdin', 'stdio'],
  // v2's serveStdio puts a channel between the pipe and each server.
  ['_wire', 'stdio'],
  ['_otherTransport', 'memory'],
  ['handlePostMessage', 'sse'],
  ['handleRequest', 'http'],
  // v2's createMcpHandler creates one per request.
  ['_classification', 'http'],
];

const KINDS_BY_NAME: readonly (readonly [pattern: RegExp, kind: TransportKind])[] = [
  [/stdio/i, 'stdio'],
  [/in_?memory/i, 'memory'],
  [/sse/i, 'sse'],
  [/http/i, 'http'],
];

/** Returns the kind of a transport, or '' when it is unknown. */
export function detectTransportKind(transport: object): TransportKind {
  const [, byMember] = KINDS_BY_MEMBER.find(([member]) => member in transport) ?? [];
  if (byMember !== undefined) return byMember;
  const name = transport.constructor?.name ?? '';
  return KINDS_BY_NAME.find(([pattern]) => pattern.test(name))?.[1] ?? '';
}
