// Single calls as a list shows them: every displayable field of a call without the payload.

import { z } from 'zod';
import type { ArgumentOriginRow } from '../../../contract/calls.ts';
import { parseArgumentOrigins, parseArgumentSources } from '../../../core/model/argument-origin.ts';
import type { StoredCall } from '../../../core/model/call-columns.ts';
import { formatIso } from '../../../core/values/date-time64.ts';
import { selectCalls } from '../../store/call-codec.ts';
import { microseconds } from '../query/cursor.ts';
import type { Where } from '../query/filters.ts';

const LISTED_FIELDS = [
  'traceId',
  'spanId',
  'parentSpanId',
  'startedAtUs',
  'durationUs',
  'serverName',
  'serverVersion',
  'environment',
  'clientName',
  'clientVersion',
  'protocolVersion',
  'transport',
  'sessionId',
  'sessionSource',
  'planId',
  'side',
  'method',
  'toolName',
  'target',
  'outcome',
  'fault',
  'errorCode',
  'errorType',
  'errorMessage',
  'errorArgument',
  'errorInResult',
  'argumentsShape',
  'argumentsFingerprint',
  'argumentsBytes',
  'argumentOrigins',
  'argumentSources',
  'resultShape',
  'resultFingerprint',
  'resultBytes',
  'guardVerdict',
  'guardCode',
] as const satisfies readonly (keyof StoredCall)[];

/** What a list of calls selects. */
export const LISTED_CALLS = selectCalls(LISTED_FIELDS);

/** The same for the session page, with what shows whether a call repeats another one. */
export const SESSION_CALLS = selectCalls([
  ...LISTED_FIELDS,
  'fingerprintKeyId',
  'argumentFingerprints',
  'argumentsMaskedFingerprint',
  'resultMaskedFingerprint',
  'resultSimilarity',
  'resultLines',
  'errorFingerprint',
]);

type ListedCall = Pick<StoredCall, (typeof LISTED_FIELDS)[number]>;

/** With the names and units of the API; any further fields stay as they are. */
export function toCallRow<Call extends ListedCall>(call: Call) {
  const { startedAtUs, durationUs, serverName, clientName, toolName, errorCode, ...rest } = call;
  const { argumentOrigins, argumentSources, ...others } = rest;
  return {
    ...others,
    argumentOrigins: toOriginRows(argumentOrigins, argumentSources),
    startedAt: formatIso(startedAtUs),
    durationMs: durationUs / 1_000,
    server: serverName,
    client: clientName,
    tool: toolName,
    code: errorCode,
  };
}

/** Each origin that is a result with the span id of its call. */
function toOriginRows(origins: string, sources: string): ArgumentOriginRow[] {
  const spanIds = parseArgumentSources(sources)[Symbol.iterator]();
  return parseArgumentOrigins(origins).map(({ path, kind, source }) => ({
    path,
    kind,
    sourceTool: source?.tool ?? '',
    sourcePath: source?.path ?? '',
    sourceSpanId: source === undefined ? '' : (spanIds.next().value ?? ''),
  }));
}

/** Sort key of a page of calls: start in microseconds, then the identity of the call. */
export const CallKey = z.tuple([
  microseconds,
  z.string().regex(/^[0-9a-f]{0,32}$/),
  z.string().regex(/^[0-9a-f]{0,16}$/),
]);
export type CallKey = z.infer<typeof CallKey>;

/** The fields of the key. */
export type KeyedCall = Pick<StoredCall, 'startedAtUs' | 'traceId' | 'spanId'>;

export const toCallKey = ({ startedAtUs, traceId, spanId }: KeyedCall): CallKey => [
  startedAtUs,
  traceId,
  spanId,
];

/** Calls beyond a key: `<` for newest first, `>` for oldest first. */
export function isBeyondCall(key: CallKey | undefined, side: '<' | '>'): Where | undefined {
  if (key === undefined) return undefined;
  const [us, traceId, spanId] = key;
  const at = `fromUnixTimestamp64Micro({key_us:Int64}, 'UTC')`;
  return {
    // The first condition is implied by the second, but allows the engine to use the sort key.
    sql: `started_at ${side}= ${at} AND (started_at, trace_id, span_id) ${side} (${at}, {key_trace:String}, {key_span:String})`,
    params: { key_us: us, key_trace: traceId, key_span: spanId },
  };
}
