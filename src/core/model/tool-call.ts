// The central type: one JSON-RPC request between an MCP client and a server, redacted to what may leave the
// server's process. It is flat by design: each field is an attribute on the wire, a column in `calls` and a
// key in the API. Empty string and zero mean "unknown"; there is no null.

import type { Fault, Outcome } from './outcome.ts';
import type { SessionConfidence, SessionSource } from './session.ts';

/**
 * `server`: a request that the MCP server answered. `client`: a request that it sent (sampling, elicitation,
 * roots).
 */
export type CallSide = 'server' | 'client';

export const TRANSPORTS = ['stdio', 'http', 'sse', 'memory', ''] as const;

export type TransportKind = (typeof TRANSPORTS)[number];

/** How much of the arguments and results leaves the server's process. */
export const CAPTURE_MODES = ['none', 'shape', 'redacted', 'full'] as const;

export type CaptureMode = (typeof CAPTURE_MODES)[number];

/**
 * The nature of a result, as far as it is known. `empty`: nothing was found. `pending`: work is still in
 * progress. `failing`: some of the checks failed. `done`: the work was done, with no further information.
 */
export const RESULT_TRAITS = ['empty', 'pending', 'failing', 'done'] as const;

export type ResultTrait = (typeof RESULT_TRAITS)[number] | '';

export interface ToolCall {
  /** 32 lowercase hex digits. */
  readonly traceId: string;
  /** 16 lowercase hex digits. (traceId, spanId) identifies a call, so that a call sent twice counts once. */
  readonly spanId: string;
  readonly parentSpanId: string;

  readonly serverName: string;
  readonly serverVersion: string;
  readonly environment: string;

  readonly clientName: string;
  readonly clientVersion: string;
  readonly protocolVersion: string;
  readonly transport: TransportKind;
  /** Keyed hash of the caller's identity as given by the host; never the name itself. */
  readonly principal: string;

  readonly sessionId: string;
  readonly sessionSource: SessionSource;
  readonly sessionConfidence: SessionConfidence;
  readonly planId: string;

  readonly side: CallSide;
  /** JSON-RPC method, such as `tools/call`. An open set. */
  readonly method: string;
  /** Only on `tools/call`: the requested name, whether or not the tool exists. */
  readonly toolName: string;
  /** Prompt name, or the scheme of a resource URI. The URI itself is a value and is not kept. */
  readonly target: string;
  /** JSON-RPC id as text. */
  readonly requestId: string;

  /** Microseconds since the epoch. */
  readonly startedAtUs: number;
  readonly durationUs: number;

  readonly outcome: Outcome;
  readonly fault: Fault;
  /** Short, stable and of low cardinality; empty if there is no error. That of the guard's refusal on a blocked call. */
  readonly errorCode: string;
  /** Class of the thrown error, if known. */
  readonly errorType: string;
  /** Masked template or redacted message, depending on the capture mode. */
  readonly errorMessage: string;
  /** Path of the rejected or missing argument, such as `filter.limit`. */
  readonly errorArgument: string;
  /**
   * Keyed fingerprint of a failure's message without ids, numbers, paths and quoted values; '' if there is no
   * message.
   */
  readonly errorFingerprint: string;
  /** A success whose text or structure reports a failure. */
  readonly errorInResult: boolean;

  /** Id of the fingerprint key. Only fingerprints of the same key are comparable. */
  readonly fingerprintKeyId: string;
  /** 16 lowercase hex digits each; '' if nothing was captured. */
  readonly argumentsFingerprint: string;
  /** Leaves out what is generated for each call, by argument name: request ids, timestamps, nonces. */
  readonly argumentsMaskedFingerprint: string;
  /** Top-level argument name to fingerprint of its value, without request ids and nonces inside it. */
  readonly argumentFingerprints: Readonly<Record<string, string>>;
  /** JSON text of the shape: paths, types, lengths, booleans, declared enum values. */
  readonly argumentsShape: string;
  readonly argumentsBytes: number;
  /** JSON text of where arguments came from, as `formatArgumentOrigins` writes it: paths and names, no value. */
  readonly argumentOrigins: string;
  /** Span ids of the calls whose results fed the arguments, in the order of the origins, joined by commas. */
  readonly argumentSources: string;
  readonly resultFingerprint: string;
  /** Leaves out the noise in an answer: its time, duration, request id and random boundaries. */
  readonly resultMaskedFingerprint: string;
  /** SimHash, 16 lowercase hex digits; similar results differ in few bits. */
  readonly resultSimilarity: string;
  readonly resultTrait: ResultTrait;
  readonly resultShape: string;
  readonly resultLines: number;
  readonly resultBytes: number;
  /** JSON array of the paths of the result's fields whose values can be recognised in later arguments. */
  readonly resultFields: string;

  /** Hash of the tool catalogue in effect for this call, or listed by it; '' if unknown. */
  readonly catalogueHash: string;
  /** The allow-listed foreign attributes, and the guard's verdict if there was one. */
  readonly attributes: Readonly<Record<string, string>>;
}

/** Arguments and result as text; only in capture modes `redacted` and `full`. */
export interface CallPayload {
  readonly arguments: string;
  readonly result: string;
  readonly truncated: boolean;
}

/** The fields that identify two reports by different instrumentations as the same call. */
export const CALL_REPORT_FIELDS = [
  'traceId',
  'spanId',
  'parentSpanId',
  'side',
  'method',
  'toolName',
  'requestId',
  'sessionId',
  'sessionSource',
  'startedAtUs',
  'durationUs',
  'attributes',
] as const satisfies readonly (keyof ToolCall)[];

export type CallReportFields = Pick<ToolCall, (typeof CALL_REPORT_FIELDS)[number]>;
