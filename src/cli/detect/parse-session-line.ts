// Parses the input of `detect`, one session per line. Raw arguments are redacted here with the same functions
// as in live observation, so that the detector gets the same data. Results may be fingerprints or raw.

import { z } from 'zod';
import { type Classification, classifyEnding } from '../../core/classification/classify-ending.ts';
import type { LoopCall } from '../../core/loops/loop-call.ts';
import { OUTCOMES, type Outcome } from '../../core/model/outcome.ts';
import { RESULT_TRAITS } from '../../core/model/tool-call.ts';
import { METHOD_TOOLS_CALL } from '../../core/semconv/conventions.ts';
import { countJsonBytes } from '../../core/values/bounded-copy.ts';
import { isRecord } from '../../core/values/is-record.ts';
import { redactArguments } from '../../core/values/redact-arguments.ts';
import { fingerprintFailure, redactMessage } from '../../core/values/redact-message.ts';
import { redactResult } from '../../core/values/redact-result.ts';
import type { RedactionOptions } from '../../core/values/redaction-options.ts';
import { UserError } from '../../errors.ts';

const callSchema = z.object({
  tool: z.string(),
  server: z.string().default(''),
  arguments: z.unknown().optional(),
  /** Overridden by the classification of a complete result, if that is more specific. */
  outcome: z.enum(OUTCOMES).optional(),
  errorCode: z.string().default(''),
  errorMessage: z.string().default(''),
  errorArgument: z.string().default(''),
  errorInResult: z.boolean().default(false),
  /** A complete MCP result, instead of the five fields below. */
  result: z.unknown().optional(),
  resultFingerprint: z.string().default(''),
  resultMaskedFingerprint: z.string().default(''),
  resultSimilarity: z.string().default(''),
  resultTrait: z.enum(['', ...RESULT_TRAITS]).default(''),
  resultLines: z.number().nonnegative().default(0),
  /** Bytes of the result's text, without the surrounding MCP structure. */
  resultBytes: z.number().nonnegative().default(0),
  fingerprintKeyId: z.string().optional(),
  startedAtMs: z.number().nonnegative().default(0),
  durationMs: z.number().nonnegative().default(0),
  annotations: z
    .object({ readOnlyHint: z.boolean().optional(), idempotentHint: z.boolean().optional() })
    .optional(),
  turn: z.number().nullish(),
  userMessageBefore: z.boolean().default(false),
  traceId: z.string().default(''),
  spanId: z.string().default(''),
});

type CallInput = z.infer<typeof callSchema>;

const sessionSchema = z.object({
  sessionId: z.union([z.string(), z.number()]),
  /** The run that the session belongs to, for `--trees`. */
  treeId: z.string().optional(),
  planId: z.string().optional(),
  calls: z.array(callSchema),
});

export interface SessionInput {
  readonly sessionId: string | number;
  /** '' when the line names no run. */
  readonly treeId: string;
  readonly calls: readonly LoopCall[];
}

/** @throws UserError INVALID_BODY naming the line (from 1) and the field */
export function parseSessionLine(text: string, line: number, redaction: RedactionOptions): SessionInput {
  const parsed = sessionSchema.safeParse(parseJson(text, line));
  if (!parsed.success) {
    const issue = parsed.error.issues[0];
    const field = issue?.path.join('.') || 'the session';
    throw new UserError('INVALID_BODY', `line ${line}: ${field}: ${issue?.message ?? 'is not a session'}`, {
      hint: 'Each line is one session: {"sessionId": "…", "calls": [{"tool": "…", "arguments": {…}, …}]}.',
    });
  }
  const { sessionId, treeId, planId, calls } = parsed.data;
  return {
    sessionId,
    treeId: treeId || planId || '',
    calls: calls.map((call) => toLoopCall(call, redaction)),
  };
}

function parseJson(text: string, line: number): unknown {
  try {
    return JSON.parse(text);
  } catch (cause) {
    throw new UserError('INVALID_BODY', `line ${line} is not JSON`, { cause });
  }
}

function toLoopCall(call: CallInput, redaction: RedactionOptions): LoopCall {
  const reduced = redactArguments(call.arguments ?? undefined, toPermissiveSchema(call.arguments), redaction);
  return {
    traceId: call.traceId,
    spanId: call.spanId,
    serverName: call.server,
    toolName: call.tool,
    startedAtUs: Math.round(call.startedAtMs * 1000),
    durationUs: Math.round(call.durationMs * 1000),
    ...toEndingFields(call, redaction),
    argumentsFingerprint: reduced.argumentsFingerprint,
    argumentsMaskedFingerprint: reduced.argumentsMaskedFingerprint,
    argumentFingerprints: reduced.argumentFingerprints,
    argumentsBytes: reduced.argumentsBytes,
    fingerprintKeyId: call.fingerprintKeyId ?? reduced.fingerprintKeyId,
    ...toResultFields(call, redaction),
    ...(call.annotations && { annotations: withoutUndefined(call.annotations) }),
    ...(typeof call.turn === 'number' && { turn: call.turn }),
    ...(call.userMessageBefore && { userMessageBefore: true }),
  };
}

/** Declares every argument name, so that all names are kept: nothing leaves this process. */
function toPermissiveSchema(args: unknown): unknown {
  const names = isRecord(args) ? Object.keys(args) : [];
  return { type: 'object', properties: Object.fromEntries(names.map((name) => [name, {}])) };
}

/** Outcomes of a recording that did not distinguish further; a complete result is more specific. */
const COARSE_OUTCOMES: readonly Outcome[] = [
  'ok',
  'tool_error',
  'exception',
  'protocol_error',
  'invalid_arguments',
];

/** Explicit error fields of the line take precedence over the classification of a complete result. */
function toEndingFields(call: CallInput, redaction: RedactionOptions) {
  const classified = classifyResult(call);
  const message = call.errorMessage || (classified?.errorMessage ?? '');
  return {
    outcome: classified?.outcome ?? call.outcome ?? 'ok',
    errorCode: call.errorCode || (classified?.errorCode ?? ''),
    errorMessage: redactMessage(message, redaction, { schema: toPermissiveSchema(call.arguments) }),
    errorArgument: call.errorArgument || (classified?.errorArgument ?? ''),
    errorFingerprint: fingerprintFailure(message, redaction),
    errorInResult: call.errorInResult || (classified?.errorInResult ?? false),
  };
}

function classifyResult({ result, outcome = 'ok', tool }: CallInput): Classification | undefined {
  if (!isRecord(result) || !COARSE_OUTCOMES.includes(outcome)) return undefined;
  const failed = outcome !== 'ok' || result['isError'] === true;
  const classified = classifyEnding({
    method: METHOD_TOOLS_CALL,
    kind: 'result',
    result: failed ? { ...result, isError: true } : result,
    toolName: tool,
  });
  const isSpecific = outcome !== 'ok' && outcome !== 'tool_error';
  return isSpecific && classified.outcome === 'tool_error' ? { ...classified, outcome } : classified;
}

function toResultFields(call: CallInput, redaction: RedactionOptions) {
  if (call.result !== undefined && call.result !== null) {
    const atMs = call.startedAtMs > 0 ? { atMs: call.startedAtMs + call.durationMs } : {};
    const { resultShape: _shape, payload: _payload, ...reduced } = redactResult(call.result, redaction, atMs);
    return reduced;
  }
  return {
    resultFingerprint: toFingerprint(call.resultFingerprint, redaction),
    resultMaskedFingerprint: toFingerprint(call.resultMaskedFingerprint, redaction),
    resultSimilarity: /^[0-9a-f]{16}$/.test(call.resultSimilarity) ? call.resultSimilarity : '',
    resultTrait: call.resultTrait,
    resultLines: call.resultLines,
    resultBytes: call.resultBytes + envelopeBytes(call),
  };
}

const OK_ENVELOPE_BYTES = countJsonBytes({ content: [{ type: 'text', text: '' }] });
const ERROR_ENVELOPE_BYTES = countJsonBytes({ content: [{ type: 'text', text: '' }], isError: true });

/** Converts to bytes of the whole result, which live observation measures and thresholds refer to. */
function envelopeBytes({ outcome, resultFingerprint, resultMaskedFingerprint }: CallInput): number {
  if (resultFingerprint === '' && resultMaskedFingerprint === '') return 0;
  return (outcome ?? 'ok') === 'ok' ? OK_ENVELOPE_BYTES : ERROR_ENVELOPE_BYTES;
}

/** Any text can identify a result; one that is not one of our fingerprints is converted into one. */
function toFingerprint(text: string, { fingerprinter }: RedactionOptions): string {
  return text === '' || /^[0-9a-f]{16}$/.test(text) ? text : fingerprinter.fingerprint(text);
}

function withoutUndefined(
  hints: NonNullable<CallInput['annotations']>,
): NonNullable<LoopCall['annotations']> {
  return {
    ...(hints.readOnlyHint !== undefined && { readOnlyHint: hints.readOnlyHint }),
    ...(hints.idempotentHint !== undefined && { idempotentHint: hints.idempotentHint }),
  };
}
