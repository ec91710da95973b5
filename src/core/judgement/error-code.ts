// The ladder of error codes: from what the protocol says down to the outcome's own name, first usable rung wins.
// Everywhere a code may come from a stranger, so every rung goes through `normaliseCode`.
import type { Outcome } from '../model/outcome.ts';
import { isRecord } from '../values/is-record.ts';
import { isKnownName } from '../values/vocabulary.ts';
import type { Ending } from './judge.ts';
import { isClassName, normaliseCode } from './normalise-code.ts';
import { parseJsonText, textOf } from './tool-text.ts';

type Rung = (ending: Ending) => string;

const RUNGS: readonly Rung[] = [
  ({ error }) => (error ? normaliseCode(error.code) : ''),
  ({ result }) => (isRecord(result) ? codeIn(result['_meta']) || codeIn(result['structuredContent']) : ''),
  ({ result }) => codeIn(parseJsonText(textOf(result))),
  ({ exception }) => normaliseCode(exception?.code) || classCode(exception?.type),
  ({ result }) => normaliseCode(/^MCP error (-?\d{1,6})\b/.exec(textOf(result))?.[1]),
  ({ result, exception }) => leadingToken(textOf(result)) || leadingToken(exception?.message ?? ''),
  ({ result, exception }) => statusInText(textOf(result) || (exception?.message ?? '')),
];

/** These three always have the code that the protocol gives bad parameters. */
const FIXED: Partial<Record<Outcome, string>> = {
  invalid_arguments: '-32602',
  unknown_tool: '-32602',
  invalid_output: '-32602',
};

/** Outcomes that failed at nothing a code could tell. */
const OWN_NAME: readonly Outcome[] = ['timeout'];
const WITHOUT_CODE: readonly Outcome[] = [
  'ok',
  'cancelled',
  'abandoned',
  'input_required',
  'task',
  'blocked',
];

/**
 * The error code of a call: short, stable, of few values.
 * @returns '' exactly for outcomes that are no errors.
 */
export function errorCodeOf(outcome: Outcome, ending: Ending): string {
  if (WITHOUT_CODE.includes(outcome)) return '';
  const fixed = FIXED[outcome];
  if (fixed !== undefined) return fixed;
  if (OWN_NAME.includes(outcome)) return outcome;
  for (const rung of RUNGS) {
    const code = rung(ending);
    if (code !== '') return code;
  }
  return outcome;
}

/** `error.code`, `code`, `error_code`, and what HTTP clients leave: `status`, `statusCode` between 400 and 599. */
function codeIn(value: unknown): string {
  if (!isRecord(value)) return '';
  const error = value['error'];
  const inner = isRecord(error) ? error : {};
  return (
    normaliseCode(inner['code']) ||
    normaliseCode(value['code']) ||
    normaliseCode(value['error_code']) ||
    normaliseCode(value['errorCode']) ||
    (typeof error === 'string' ? normaliseCode(error) : '') ||
    httpCode(inner['status']) ||
    httpCode(value['status']) ||
    httpCode(value['statusCode'])
  );
}

function httpCode(status: unknown): string {
  const code = normaliseCode(status);
  return code.startsWith('HTTP_') ? code : '';
}

/** Classes that say no more than "an error". */
const PLAIN_CLASS =
  /^(?:Error|Exception|RuntimeException|ToolError|McpError|ProtocolError|SdkError|Object|String)$/;

function classCode(type: string | undefined): string {
  if (type === undefined || !isClassName(type)) return '';
  const name = type.split(/[.:]/).at(-1) ?? '';
  return PLAIN_CLASS.test(name) ? '' : normaliseCode(name);
}

/** `… - status code 404`, `HTTP 503`, `Request failed with status code 429`; only where a sentence begins the text. */
function statusInText(message: string): string {
  const status = /\b(?:status(?: code)?|HTTP(?: error)?(?: code)?)[:= ]{1,3}([45]\d\d)\b/i.exec(
    message.slice(0, 300),
  )?.[1];
  return status === undefined ? '' : httpCode(Number(status));
}

/** `NOTE_LOCKED: …`; a single word needs to be a known one or an errno, or any shouted word would be a code. */
function leadingToken(message: string): string {
  const text = message.replace(/^(?:\s*\w{0,40}Error:\s*){1,3}/, '');
  const token = /^\[?([A-Z][A-Z0-9_]{1,63})\]?:/.exec(text)?.[1] ?? '';
  return /[_\d]/.test(token) || isKnownName(token) ? normaliseCode(token) : '';
}
