// A word to an agent that goes round, behind the answer it asked for. It is given before that answer is known, from what
// earlier calls brought; so it speaks of those, and of this answer only that nobody has compared it.

import { isRecord } from '../values/is-record.ts';
import type { GuardMode } from './guard-policy.ts';
import type { ConfirmedLoop } from './loop-tracker.ts';
import { LOOP_RECOVERY } from './refusal.ts';

/**
 * In `nudge` a loop is told of with the first call that goes on with it and with every fifth after that: a word at each
 * would fill the transcript with what was ignored already, and one alone is lost when a long one is cut or summed up.
 */
const NUDGE_INTERVAL_CALLS = 5;

/** An MCP text content block. */
export interface TextContent {
  readonly type: 'text';
  readonly text: string;
}

/** Of which loop an agent was told, and how many calls have gone on with it since. */
export interface NudgeState {
  readonly ordinal: number;
  readonly callsSince: number;
}

/** Counts a call of a confirmed loop to what was told. A call that opens it (`callsSince` 0) is always told of it. */
export function nextNudgeState(
  previous: NudgeState | undefined,
  { finding: { ordinal } }: ConfirmedLoop,
): NudgeState {
  return { ordinal, callsSince: previous?.ordinal === ordinal ? previous.callsSince + 1 : 0 };
}

/** Whether the call that was just counted gets the word. */
export function isNudgeDue({ callsSince }: NudgeState, mode: GuardMode): boolean {
  return callsSince === 0 || (mode === 'nudge' && callsSince % NUDGE_INTERVAL_CALLS === 0);
}

/** What is said. The finding's own sentence is true of the calls before this one; it holds no values. */
export function nudgeText({ finding }: ConfirmedLoop, mode: GuardMode): string {
  const then =
    mode === 'enforce' ? ' Made again at once after an answer that was the same, it will not be run.' : '';
  return (
    `[toolscope guard] This call goes on with a loop. Before it: ${finding.sentence} ` +
    `The answer above is the tool's own, and was not compared with those. If it says nothing new, ${LOOP_RECOVERY}.${then}`
  );
}

/**
 * Whether a text can stand behind what a result holds. Clients validate `structuredContent` against a tool's output schema,
 * never `content`, so a declared output is no hindrance. A result that only promises one (a task, a question back) or whose
 * content is not a list of blocks is left alone.
 */
export function acceptsNudge(result: unknown): boolean {
  if (!isRecord(result) || hasToJson(result)) return false;
  const { content, resultType, task } = result;
  const isFinal = task === undefined && (resultType === undefined || resultType === 'complete');
  return isFinal && Array.isArray(content) && !hasToJson(content) && content.every(isContentBlock);
}

function isContentBlock(value: unknown): boolean {
  return isRecord(value) && typeof value['type'] === 'string';
}

function hasToJson(value: object): boolean {
  return 'toJSON' in value;
}
