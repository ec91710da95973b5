// What a request states about itself and its sender: the 2025 handshake states it once per connection, the
// 2026-07-28 envelope in every request. Decided per message, because one pipe may carry both.

import { META_CLIENT_INFO, META_PROTOCOL_VERSION, META_TRACEPARENT } from '../semconv/conventions.ts';
import { fieldOf, metaOf, textFieldOf } from './json-rpc.ts';

/** Name and version of an MCP implementation; '' if unknown. */
export interface Implementation {
  readonly name: string;
  readonly version: string;
}

export interface TraceParent {
  /** 32 lower-case hex digits, not all zero. */
  readonly traceId: string;
  /** 16 lower-case hex digits, not all zero. */
  readonly spanId: string;
  /** Trace flags; bit 0 is "sampled". */
  readonly flags: number;
}

const TRACEPARENT = /^([0-9a-f]{2})-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})(-.*)?$/;
const ZERO_TRACE = '0'.repeat(32);
const ZERO_SPAN = '0'.repeat(16);

/**
 * Parses a `traceparent` (W3C Trace Context level 1, 3.2). Later versions may append fields, version 00 may
 * not, and ff is invalid.
 *
 * @returns undefined if invalid.
 */
export function parseTraceParent(value: unknown): TraceParent | undefined {
  if (typeof value !== 'string' || value.length < 55) return undefined;
  const [, version, traceId, spanId, flags, rest] = TRACEPARENT.exec(value.trim()) ?? [];
  if (traceId === undefined || spanId === undefined || flags === undefined) return undefined;
  if (version === 'ff' || (version === '00' && rest !== undefined)) return undefined;
  if (traceId === ZERO_TRACE || spanId === ZERO_SPAN) return undefined;
  return { traceId, spanId, flags: Number.parseInt(flags, 16) };
}

export const UNKNOWN_IMPLEMENTATION: Implementation = { name: '', version: '' };

export interface RequestFacts {
  readonly meta: Readonly<Record<string, unknown>> | undefined;
  readonly era: 'legacy' | 'modern';
  /** From the envelope; '' when there is none. */
  readonly protocolVersion: string;
  /** From the envelope. */
  readonly client: Implementation | undefined;
  readonly traceParent: TraceParent | undefined;
}

const NO_FACTS: RequestFacts = {
  meta: undefined,
  era: 'legacy',
  protocolVersion: '',
  client: undefined,
  traceParent: undefined,
};

/** Reads the `_meta` of a request. */
export function parseRequestFacts(params: unknown): RequestFacts {
  const meta = metaOf(params);
  if (meta === undefined) return NO_FACTS;
  const protocolVersion = textFieldOf(meta, META_PROTOCOL_VERSION);
  return {
    meta,
    era: protocolVersion === '' ? 'legacy' : 'modern',
    protocolVersion,
    client: parseImplementation(meta[META_CLIENT_INFO]),
    traceParent: parseTraceParent(meta[META_TRACEPARENT]),
  };
}

/** Reads an Implementation (`clientInfo`, `serverInfo`); undefined unless it has a name. */
export function parseImplementation(value: unknown): Implementation | undefined {
  const name = textFieldOf(value, 'name');
  return name === '' ? undefined : { name, version: textFieldOf(value, 'version') };
}

/** The server named in a response: by the handshake, or by the envelope of any modern result. */
export function parseServerImplementation(result: unknown, metaKey: string): Implementation | undefined {
  return parseImplementation(metaOf(result)?.[metaKey]) ?? parseImplementation(fieldOf(result, 'serverInfo'));
}
