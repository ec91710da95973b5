// The text appended to a result for an agent in a loop. It is written before the result is known, from
// earlier results, so it describes those and states that this result was not compared.

import { isRecord } from '../values/is-record.ts';
import type { GuardMode } from './guard-policy.ts';
import type { ConfirmedLoop } from './loop-tracker.ts';
import { LOOP_RECOVERY } from './refusal.ts';

/**
 * In `nudge` mode the text comes with the first call that continues a loop and with every fifth after that.
 * On every call it would fill the transcript with what was already ignored; a single one is lost when a long
 * transcript is truncated or summarised.
 */
const NUDGE_INTERVAL_CALLS = 5;

/** An MCP text content block. */
export interface TextContent {
  readonly type: 'text';
  readonly text: string;
}

/** The loop that the agent was notified of, and the number of calls that have continued it since. */
export interface NudgeState {
  readonly ordinal: number;
  readonly callsSince: number;
}

/** Counts a call of a confirmed loop. The call that opens it (`callsSince` 0) always gets the text. */
export function nextNudgeState(
  previous: NudgeState | undefined,
  { finding: { ordinal } }: ConfirmedLoop,
): NudgeState {
  return { ordinal, callsSince: previous?.ordinal === ordinal ? previous.callsSince + 1 : 0 };
}

/** Whether the call just counted gets the text. */
export function isNudgeDue({ callsSince }: NudgeState, mode: GuardMode): boolean {
  return callsSince === 0 || (mode === 'nudge' && callsSince % NUDGE_INTERVAL_CALLS === 0);
}

/** The nudge text. The finding's sentence describes the earlier calls and contains no values. */
export function nudgeText({ finding }: ConfirmedLoop, mode: GuardMode): string {
  const then =
    mode === 'enforce' ? ' If it is repeated immediately with the same answer, it will not be run.' : '';
  return (
    `[toolscope guard] This call continues a loop. Earlier calls: ${finding.sentence} ` +
    `The answer above is the tool's own and was not compared with theirs. If it says nothing new, ${LOOP_RECOVERY}.${then}`
  );
}

/**
 * Whether a text can be appended to a result. Clients validate `structuredContent` against a tool's output
 * schema, never `content`, so a declared output does not matter. A result that is only a promise (a task, an
 * input request), or whose content is not a list of blocks, is left unchanged.
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
