// Recovery hints: what got earlier agents past an error, as lines for the agent that meets it next. They come from a file
// that `toolscope recovery-hints` writes, so the guard waits for no network.

import { isRecord } from '../values/is-record.ts';

/** The line for one error of one tool. */
export interface RecoveryHint {
  readonly tool: string;
  readonly code: string;
  /** Path of the rejected argument; absent if the error names none. */
  readonly argument?: string;
  readonly text: string;
}

/** The contents of the file. */
export interface RecoveryHints {
  readonly hints: readonly RecoveryHint[];
}

/** An error as the guard sees it. */
export interface MetError {
  readonly code: string;
  readonly argument: string;
}

/** The hints of one tool; undefined without any. */
export type RecoveryHintLookup = (toolName: string) => readonly RecoveryHint[] | undefined;

const MAX_HINTS = 1_000;
/** UTF-16 units of a line. */
const MAX_TEXT_LENGTH = 500;

export type ParsedHints =
  | { readonly status: 'read'; readonly hints: readonly RecoveryHint[] }
  | { readonly status: 'refused'; readonly problem: string };

/** Parses the contents of a file of hints; invalid ones are refused as a whole. */
export function parseRecoveryHints(value: unknown): ParsedHints {
  const list: unknown = isRecord(value) ? value['hints'] : undefined;
  if (!Array.isArray(list)) return { status: 'refused', problem: 'has no list "hints"' };
  if (list.length > MAX_HINTS) return { status: 'refused', problem: `has more than ${MAX_HINTS} hints` };
  const at = list.findIndex((hint) => !isHint(hint));
  if (at >= 0)
    return {
      status: 'refused',
      problem: `hints[${at}] needs the texts tool, code and text, of one line and at most ${MAX_TEXT_LENGTH} characters`,
    };
  return { status: 'read', hints: list.filter(isHint) };
}

function isHint(value: unknown): value is RecoveryHint {
  if (!isRecord(value)) return false;
  const { tool, code, argument = '', text } = value;
  return [tool, code, text].every(isLine) && (argument === '' || isLine(argument));
}

/** Control characters could look like something else than one line of text. */
function isLine(value: unknown): boolean {
  return typeof value === 'string' && value.length <= MAX_TEXT_LENGTH && /^\P{Cc}+$/u.test(value);
}

export function createHintLookup(hints: readonly RecoveryHint[]): RecoveryHintLookup {
  const byTool = new Map<string, RecoveryHint[]>();
  for (const hint of hints) byTool.set(hint.tool, [...(byTool.get(hint.tool) ?? []), hint]);
  return (toolName) => byTool.get(toolName);
}

/** Returns the line for an error; undefined if there is none. */
export function findRecoveryHint(
  hints: readonly RecoveryHint[],
  { code, argument }: MetError,
): string | undefined {
  const hint = hints.find((one) => one.code === code && (one.argument ?? '') === argument);
  return hint && `[toolscope guard] ${hint.text}`;
}
