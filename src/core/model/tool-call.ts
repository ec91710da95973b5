// The noun everything turns on: one JSON-RPC request between an MCP client and a server, reduced to what may leave
// the server's process. Flat on purpose: a field is an attribute on the wire, a column in `calls`, a key in the API.
// Empty string and zero mean "not known"; there is no null.

import type { Fault, Outcome } from './outcome.ts';
import type { SessionConfidence, SessionSource } from './session.ts';

/** `server`: a request the MCP server answered. `client`: one it sent itself (sampling, elicitation, roots). */
export type CallSide = 'server' | 'client';

export const TRANSPORTS = ['stdio', 'http', 'sse', 'memory', ''] as const;

export type TransportKind = (typeof TRANSPORTS)[number];

/** How much of arguments and results leaves the server's process. */
export const CAPTURE_MODES = ['none', 'shape', 'redacted', 'full'] as const;

export type CaptureMode = (typeof CAPTURE_MODES)[number];

/**
 * What an answer is, as far as it can be told. `empty`: nothing was found. `pending`: something goes on. `failing`: some of what was
 * checked failed. `done`: it was done, and no more.
 */
export const RESULT_TRAITS = ['empty', 'pending', 'failing', 'done'] as const;

export type ResultTrait = (typeof RESULT_TRAITS)[number] | '';

export interface ToolCall {
  /** 32 lower-case hex digits. */
  readonly traceId: string;
  /** 16 lower-case hex digits; (traceId, spanId) is the identity under which a re-sent call counts once. */
  readonly spanId: string;
  readonly parentSpanId: string;

  readonly serverName: string;
  readonly serverVersion: string;
  readonly environment: string;

  readonly clientName: string;
  readonly clientVersion: string;
  readonly protocolVersion: string;
  readonly transport: TransportKind;
  /** Keyed hash of whoever the host says is calling; never the name itself. */
  readonly principal: string;

  readonly sessionId: string;
  readonly sessionSource: SessionSource;
  readonly sessionConfidence: SessionConfidence;
  readonly planId: string;

  readonly side: CallSide;
  /** JSON-RPC method, e.g. `tools/call`. An open set. */
  readonly method: string;
  /** Only on `tools/call`; the name the client asked for, known or not. */
  readonly toolName: string;
  /** Prompt name, or the scheme of a resource URI; the URI itself is a value. */
  readonly target: string;
  /** JSON-RPC id as text. */
  readonly requestId: string;

  /** Microseconds since the epoch. */
  readonly startedAtUs: number;
  readonly durationUs: number;

  readonly outcome: Outcome;
  readonly fault: Fault;
  /** Short, stable, low-cardinality; empty when there is no error. */
  readonly errorCode: string;
  /** Class of the thrown error, where it is known. */
  readonly errorType: string;
  /** Masked template, or the redacted message, by capture mode. */
  readonly errorMessage: string;
  /** Path of the argument that was refused or missing, e.g. `filter.limit`. */
  readonly errorArgument: string;
  /** Keyed fingerprint of what a failure says, without ids, numbers, paths and quoted values; '' when it says nothing. */
  readonly errorFingerprint: string;
  /** A success whose text or structure says that it failed. */
  readonly errorInResult: boolean;

  /** Only fingerprints of one key are comparable; this says which key. */
  readonly fingerprintKeyId: string;
  /** 16 lower-case hex digits each; '' when nothing was captured. */
  readonly argumentsFingerprint: string;
  /** Without what is made up for each call: request ids, timestamps, nonces, by their names. */
  readonly argumentsMaskedFingerprint: string;
  /** Top-level argument name to fingerprint of its value, request ids and nonces inside it left out. */
  readonly argumentFingerprints: Readonly<Record<string, string>>;
  /** JSON text of the shape: paths, types, lengths, booleans, declared enum values. */
  readonly argumentsShape: string;
  readonly argumentsBytes: number;
  readonly resultFingerprint: string;
  /** Without what is noise in an answer: its time, its duration, its request id, a random boundary. */
  readonly resultMaskedFingerprint: string;
  /** SimHash, 16 lower-case hex digits; near results differ in few bits. */
  readonly resultSimilarity: string;
  readonly resultTrait: ResultTrait;
  readonly resultShape: string;
  readonly resultLines: number;
  readonly resultBytes: number;

  /** Hash of the tool catalogue this call met or listed; '' when it is not known. */
  readonly catalogueHash: string;
  /** What is left of foreign attributes after the allow-list, and the verdict of our guard, if it had one. */
  readonly attributes: Readonly<Record<string, string>>;
}

/** Arguments and result as text, only in capture modes `redacted` and `full`. */
export interface CallPayload {
  readonly arguments: string;
  readonly result: string;
  readonly truncated: boolean;
}
