// What a span talks to, by the attributes of the semantic conventions. Only the calling side names a dependency: a
// server span inside a tool's call is the work of that server.

import type { ChildSpanKind } from '../model/child-span.ts';
import type { Attributes, OtlpSpan } from '../otlp/span.ts';
import { ATTR_METHOD_NAME, ATTR_SERVER_NAME } from '../semconv/conventions.ts';
import * as names from '../semconv/dependency-attributes.ts';
import { redactName } from '../values/redact-name.ts';
import type { RedactionOptions } from '../values/redaction-options.ts';
import { readText } from './attribute-reader.ts';

export interface Dependency {
  readonly kind: ChildSpanKind;
  /** '' for `internal`. */
  readonly name: string;
}

/** UTF-16 units; dependencies are keys of rows. */
const MAX_DEPENDENCY_LENGTH = 128;
const INTERNAL: Dependency = { kind: 'internal', name: '' };

/**
 * Finds what the span talks to.
 *
 * @returns the name without secrets; in capture mode `none` only the system, because a host may come from an argument
 */
export function findDependency(span: OtlpSpan, redaction: RedactionOptions): Dependency {
  const { attributes } = span;
  const found = findKind(span);
  if (found === undefined) return INTERNAL;
  const { kind, system, detail } = found;
  const peer = readText(attributes, names.PEER_NAMES);
  const given = peer || [system, detail].filter((part) => part !== '').join(':') || kind;
  const name = redaction.capture === 'none' ? system || kind : given;
  return { kind, name: redactName(name, redaction).slice(0, MAX_DEPENDENCY_LENGTH) };
}

interface FoundKind {
  readonly kind: ChildSpanKind;
  readonly system: string;
  /** What tells one database, host or queue of that system from another. */
  readonly detail: string;
}

function findKind(span: OtlpSpan): FoundKind | undefined {
  if (span.kind === 'server' || span.kind === 'consumer') return undefined;
  const database = readText(span.attributes, names.DB_SYSTEM_NAMES);
  // Some object mappers send spans of kind internal for their queries.
  if (database !== '') {
    const detail = readText(span.attributes, names.DB_NAMESPACE_NAMES) || readHost(span.attributes);
    return { kind: 'db', system: database, detail };
  }
  return span.kind === 'client' || span.kind === 'producer' ? findPeer(span.attributes) : undefined;
}

interface PeerRule {
  readonly kind: ChildSpanKind;
  readonly system: readonly string[];
  readonly detail: readonly string[];
  /** Instead of the value of the attribute. */
  readonly name?: string;
  /** Whether the host tells what `detail` does not. */
  readonly isByHost?: boolean;
}

/** In the order in which they are tried: a model is called over HTTP, too. */
const PEER_RULES: readonly PeerRule[] = [
  { kind: 'mcp', system: [ATTR_METHOD_NAME], name: 'mcp', detail: [ATTR_SERVER_NAME], isByHost: true },
  { kind: 'ai', system: names.AI_PROVIDER_NAMES, detail: [] },
  { kind: 'messaging', system: names.MESSAGING_SYSTEM_NAMES, detail: names.MESSAGING_DESTINATION_NAMES },
  { kind: 'rpc', system: names.RPC_SYSTEM_NAMES, detail: names.RPC_SERVICE_NAMES, isByHost: true },
  { kind: 'http', system: names.HTTP_METHOD_NAMES, name: '', detail: [], isByHost: true },
];

function findPeer(attributes: Attributes): FoundKind | undefined {
  const host = readHost(attributes);
  for (const { kind, system, detail, name, isByHost } of PEER_RULES) {
    const found = readText(attributes, system);
    if (found === '') continue;
    const known = readText(attributes, detail) || (isByHost ? host : '');
    return { kind, system: name ?? found, detail: known };
  }
  const isNamed = host !== '' || readText(attributes, names.PEER_NAMES) !== '';
  return isNamed ? { kind: 'rpc', system: '', detail: host } : undefined;
}

const USUAL_PORTS: readonly string[] = ['', '80', '443'];

function readHost(attributes: Attributes): string {
  const address = readText(attributes, names.SERVER_ADDRESS_NAMES);
  const port = readText(attributes, names.SERVER_PORT_NAMES);
  if (address === '') return parseHost(readText(attributes, names.URL_NAMES, MAX_URL_LENGTH));
  return USUAL_PORTS.includes(port) || address.endsWith(`:${port}`) ? address : `${address}:${port}`;
}

const MAX_URL_LENGTH = 2048;

function parseHost(url: string): string {
  return /^[a-z][a-z0-9+.-]{0,31}:\/\/(?:[^/?#@]{0,512}@)?([^/?#@]{1,256})/i.exec(url)?.[1] ?? '';
}
