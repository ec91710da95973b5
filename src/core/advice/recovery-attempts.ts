// What an agent did after an error until it tried the same thing again: the tools that answered in between, the
// arguments that differ, a pause; or the tool that the error names, called instead.

import { NOT_FOUND_CODE_PATTERN } from './planned-fallback.ts';

/** A call of a session, as far as learning needs it. */
export interface FollowedCall {
  readonly tool: string;
  readonly startedAtMs: number;
  readonly endedAtMs: number;
  /** `other`: neither a success nor a fault, such as a cancelled or a blocked call. */
  readonly ending: 'ok' | 'failed' | 'other';
  /** Empty texts without a fault. */
  readonly error: FollowedError;
  /** Other tools that the error names. */
  readonly namedTools: readonly string[];
  /** Empty if no fingerprints were captured. */
  readonly fingerprintKeyId: string;
  readonly argumentFingerprints: Readonly<Record<string, string>>;
}

export interface FollowedError {
  readonly outcome: string;
  readonly code: string;
  /** Masked message. */
  readonly template: string;
  /** Path of the rejected argument. */
  readonly argument: string;
}

export interface FollowedSession {
  readonly server: string;
  /** In the order in which they started. */
  readonly calls: readonly FollowedCall[];
  /** No further call is expected. */
  readonly isOver: boolean;
}

/** One way of going on after an error. */
export interface RecoverySteps {
  /** Other tools that answered before the repetition, in order. */
  readonly tools: readonly string[];
  /** Top-level arguments that the repetition sent with another value, sorted. */
  readonly changedArguments: readonly string[];
  /** The tool that was called instead; '' if the same one was repeated. */
  readonly insteadTool: string;
  /** The unchanged call was repeated after a pause. */
  readonly isAfterPause: boolean;
}

export interface RecoveryAttempt {
  readonly failed: FollowedCall;
  /** Undefined if the call was never repeated. */
  readonly steps: RecoverySteps | undefined;
  readonly hasSucceeded: boolean;
}

/** Calls after an error that belong to it. */
const MAX_FOLLOWING_CALLS = 10;
/** Milliseconds between an answer and the repetition; shorter ones are the pace of the agent. */
const MIN_PAUSE_MS = 2_000;

const NOT_FOUND_CODE = new RegExp(NOT_FOUND_CODE_PATTERN);
/** Arguments that say which object a call is about. */
const TARGET_NAME =
  /(?:^|_)(?:ids?|uuid|slug|path|name|url|uri|file|filename|email|branch|number)$|[a-z](?:Ids?|Uuid|Path|Name|Url|Uri)$/i;

/** The attempts that followed each failed call; none where they are not known. */
export function listRecoveryAttempts({ calls, isOver }: FollowedSession): RecoveryAttempt[] {
  return calls.flatMap((failed, at) => {
    if (failed.ending !== 'failed' || failed.error.outcome === '') return [];
    const following = calls.slice(at + 1, at + 1 + MAX_FOLLOWING_CALLS);
    const isKnown = isOver || following.length === MAX_FOLLOWING_CALLS;
    return toAttempt(failed, following, isKnown) ?? [];
  });
}

function toAttempt(
  failed: FollowedCall,
  following: readonly FollowedCall[],
  isKnown: boolean,
): RecoveryAttempt | undefined {
  const at = following.findIndex((call) => isRepetition(failed, call));
  const repetition = following[at];
  if (repetition !== undefined) return toRepetition(failed, following.slice(0, at), repetition);
  const instead = following.find(
    ({ tool, ending }) => ending !== 'other' && failed.namedTools.includes(tool),
  );
  if (instead === undefined) return isKnown ? { failed, steps: undefined, hasSucceeded: false } : undefined;
  const steps = { tools: [], changedArguments: [], insteadTool: instead.tool, isAfterPause: false };
  return { failed, steps, hasSucceeded: instead.ending === 'ok' };
}

/** @returns undefined where the arguments cannot be compared */
function toRepetition(
  failed: FollowedCall,
  between: readonly FollowedCall[],
  repetition: FollowedCall,
): RecoveryAttempt | undefined {
  const changedArguments = listChangedArguments(failed, repetition);
  if (changedArguments === undefined) return undefined;
  const helpers = between.filter(({ tool, ending }) => ending === 'ok' && tool !== failed.tool);
  const tools = [...new Set(helpers.map(({ tool }) => tool))];
  const isUnchanged = tools.length === 0 && changedArguments.length === 0;
  const isAfterPause = isUnchanged && repetition.startedAtMs - failed.endedAtMs >= MIN_PAUSE_MS;
  const steps = { tools, changedArguments, insteadTool: '', isAfterPause };
  return { failed, steps, hasSucceeded: repetition.ending === 'ok' };
}

/** The same tool about the same object; a call about another object has left the failed one behind. */
function isRepetition(failed: FollowedCall, call: FollowedCall): boolean {
  if (call.tool !== failed.tool || call.ending === 'other') return false;
  const { code, argument } = failed.error;
  // An object that does not exist is named anew.
  if (NOT_FOUND_CODE.test(code)) return true;
  const rejected = argument.split(/[.[]/)[0];
  return !(listChangedArguments(failed, call) ?? []).some(
    (name) => TARGET_NAME.test(name) && name !== rejected && name in failed.argumentFingerprints,
  );
}

function listChangedArguments(one: FollowedCall, other: FollowedCall): string[] | undefined {
  if (one.fingerprintKeyId === '' || one.fingerprintKeyId !== other.fingerprintKeyId) return undefined;
  const [before, after] = [one.argumentFingerprints, other.argumentFingerprints];
  const names = new Set([...Object.keys(before), ...Object.keys(after)]);
  return [...names].filter((name) => before[name] !== after[name]).sort();
}
