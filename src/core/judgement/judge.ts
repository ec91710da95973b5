// Decides how a call ended: outcome, whose fault, which code. From what happened on the wire and, where the wrapper saw
// it, from what was thrown; never from a span's status, about which emitters disagree.
import type { Fault, Outcome } from '../model/outcome.ts';
import { METHOD_TOOLS_CALL } from '../semconv/conventions.ts';
import { canonicalText } from '../values/canonical.ts';
import { condense, NO_HASHES } from '../values/condense.ts';
import { isRecord } from '../values/is-record.ts';
import { estimateSize } from '../values/value-size.ts';
import { errorCodeOf } from './error-code.ts';
import { isErrorInResult } from './error-in-result.ts';
import { type FailingArgument, findFailingArgument } from './failing-argument.ts';
import { faultOf } from './fault.ts';
import { innerMessage } from './inner-message.ts';
import { missingArgumentIn } from './missing-argument.ts';
import { isClassName } from './normalise-code.ts';
import { textOf } from './tool-text.ts';
import { refusalOf, stripPrefixes } from './validation-text.ts';

/**
 * What is known of how a call ended, before anybody judged it. Whoever observes fills in what he sees: the wrapper sees
 * more (exception, validation class) than a proxy or a foreign span does, and the judgement takes what is there.
 */
export interface Ending {
  readonly method: string;
  /** `closed`: the connection went away first. `expired`: nothing came for too long. */
  readonly kind: 'result' | 'error' | 'cancelled' | 'closed' | 'expired';
  readonly result?: unknown;
  readonly error?: { readonly code: number; readonly message: string; readonly data?: unknown };
  /** What the tool threw, where it could be seen; SDKs turn it into a result with `isError`. */
  readonly exception?: { readonly type: string; readonly code?: string | number; readonly message: string };
  /** The SDK's own validation refused the arguments, or the tool's output. */
  readonly validation?: 'input' | 'output';
  /** Path of the refused argument, where the validator told it. */
  readonly argument?: string;
  /** Reason given with a cancellation. */
  readonly reason?: string;
  /** Whether the catalogue has the tool; undefined when there is no catalogue. */
  readonly toolKnown?: boolean;
  /** Name the client asked for: tells "Tool X not found" about this tool from one about a thing called X. */
  readonly toolName?: string;
  /** Our guard answered, and the tool did not run. */
  readonly blocked?: boolean;
}

export interface Judgement {
  readonly outcome: Outcome;
  readonly fault: Fault;
  /** '' exactly when the outcome is no error. */
  readonly errorCode: string;
  /** Class of what was thrown, where it is known and written as classes are. */
  readonly errorType: string;
  /** Raw: it may quote anything, so it is reduced before it leaves. */
  readonly errorMessage: string;
  /** Raw path of the argument that was refused, or that was missing; its keys may be the caller's. */
  readonly errorArgument: string;
  /** A success that says it failed. */
  readonly errorInResult: boolean;
}

const INVALID_PARAMS = -32602;
/** UTF-16 units of a raw message that are looked at. */
const MESSAGE_LIMIT = 8192;
/** Bytes of a structure that is written out whole for its message. */
const STRUCTURE_LIMIT = 65_536;
const NO_ARGUMENT: FailingArgument = { path: '', message: '' };

/** Judges the ending of any request. Pure; never throws. */
export function judge(ending: Ending): Judgement {
  const outcome = outcomeOf(ending);
  const errorCode = errorCodeOf(outcome, ending);
  const fault = faultOf(outcome, errorCode);
  const errorInResult =
    outcome === 'ok' && ending.method === METHOD_TOOLS_CALL && isErrorInResult(ending.result);
  const message = fault === 'none' && !errorInResult ? '' : messageOf(ending);
  const aboutArguments = isAboutArguments(outcome, errorCode);
  const validated = aboutArguments || outcome === 'invalid_output';
  const failing = validated ? findFailingArgument(message) : NO_ARGUMENT;
  const { exception } = ending;
  return {
    outcome,
    fault,
    errorCode,
    errorType: fault !== 'none' && exception && isClassName(exception.type) ? exception.type : '',
    errorMessage: failing.message || innerMessage(stripPrefixes(message)),
    errorArgument: (aboutArguments && (ending.argument ?? failing.path)) || missingArgumentIn(message),
    errorInResult,
  };
}

function outcomeOf(ending: Ending): Outcome {
  if (ending.blocked) return 'blocked';
  switch (ending.kind) {
    case 'cancelled':
      return isTimeoutReason(ending.reason) ? 'timeout' : 'cancelled';
    case 'closed':
    case 'expired':
      return 'abandoned';
    case 'error':
      return outcomeOfError(ending);
    case 'result':
      return outcomeOfResult(ending);
    default:
      return ending.kind satisfies never;
  }
}

function outcomeOfError(ending: Ending): Outcome {
  if (ending.method !== METHOD_TOOLS_CALL) return 'protocol_error';
  const code = ending.error?.code;
  const refusal = refusalIn(ending, ending.error?.message ?? '');
  if (refusal !== undefined) return refusal;
  if (code !== INVALID_PARAMS) return 'protocol_error';
  return ending.toolKnown === false ? 'unknown_tool' : 'invalid_arguments';
}

function outcomeOfResult(ending: Ending): Outcome {
  const { result, exception } = ending;
  if (!isRecord(result)) return 'ok';
  if (result['resultType'] === 'input_required') return 'input_required';
  if (isTask(result)) return 'task';
  if (result['isError'] !== true) return 'ok';
  const text = textOf(result);
  const refusal = refusalIn(ending, text);
  if (refusal !== undefined) return refusal;
  // A tool that throws InvalidParams itself refuses its arguments too: v1 shows it as a prefix, v2 only as the code.
  if (exception?.code === INVALID_PARAMS || /^MCP error -32602\b/.test(text)) return 'invalid_arguments';
  return exception ? 'exception' : 'tool_error';
}

/** What the SDK refused, by its validators where the wrapper heard them, else by the text. */
function refusalIn(ending: Ending, text: string): Outcome | undefined {
  if (ending.validation === 'input') return 'invalid_arguments';
  if (ending.validation === 'output') return 'invalid_output';
  const refusal = refusalOf(text, ending.toolName);
  const isKnown = ending.toolKnown === true && !/ disabled\.?$/.test(text);
  return refusal === 'unknown_tool' && isKnown ? undefined : refusal;
}

/** The 2026-07-28 extension says `resultType: task`, the experimental tasks of 2025-11-25 put a task into the result. */
function isTask(result: Record<string, unknown>): boolean {
  const { task } = result;
  return result['resultType'] === 'task' || (isRecord(task) && typeof task['taskId'] === 'string');
}

/** The reason clients give when their own clock ran out, e.g. "McpError: MCP error -32001: Request timed out". */
function isTimeoutReason(reason: string | undefined): boolean {
  return (
    reason !== undefined && /-32001\b|\btime[d]?[ -]?out\b|\bTimeout|\bdeadline exceeded\b/i.test(reason)
  );
}

function isAboutArguments(outcome: Outcome, errorCode: string): boolean {
  return (
    outcome === 'invalid_arguments' || (outcome === 'protocol_error' && errorCode === String(INVALID_PARAMS))
  );
}

function messageOf({ error, result, exception, reason }: Ending): string {
  const text =
    error?.message || textOf(result) || structuredText(result) || exception?.message || reason || '';
  return text.slice(0, MESSAGE_LIMIT);
}

/** A result without text says what went wrong in its structure. */
function structuredText(result: unknown): string {
  const structured = isRecord(result) ? result['structuredContent'] : undefined;
  if (structured === undefined || structured === null) return '';
  const isLarge = estimateSize(structured).jsonBytes > STRUCTURE_LIMIT;
  return canonicalText(isLarge ? condense(structured, NO_HASHES).value : structured);
}
