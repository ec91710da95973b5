// Learns from sessions that got past an error what worked: the way that succeeded more often than all others
// after the same error. One session counts a few times at most, so that no agent's loop is a pattern.

import { toWilsonInterval } from '../model/wilson-interval.ts';
import { groupBy } from '../values/group-by.ts';
import {
  type FollowedError,
  type FollowedSession,
  listRecoveryAttempts,
  type RecoveryAttempt,
  type RecoverySteps,
} from './recovery-attempts.ts';
import { MIN_SESSIONS } from './tool-errors.ts';

/** Attempts in one way, below which nothing is said. */
export const MIN_ATTEMPTS = 8;
/** Attempts in one way that one session counts. */
const MAX_ATTEMPTS_PER_SESSION = 3;
/** A way that succeeds less often is none. */
const MIN_SUCCESS_RATE = 0.5;
/** An attempt with more steps was another task. */
const MAX_STEPS = 3;

interface AttemptCount {
  readonly n: number;
  readonly succeeded: number;
}

/** After this error of this tool, these steps succeeded more often than others. */
export interface LearnedRecovery extends FollowedError {
  readonly server: string;
  readonly tool: string;
  readonly steps: RecoverySteps;
  /** Attempts with these steps. */
  readonly attempts: AttemptCount;
  /** Sessions in which they succeeded. */
  readonly sessions: number;
  /** Everything else that followed the error, giving up included. */
  readonly otherwise: AttemptCount;
}

interface SessionAttempt extends RecoveryAttempt {
  readonly server: string;
  /** Index of the session. */
  readonly session: number;
}

/** At most one way for each error, most attempts first. */
export function learnRecoveries(sessions: readonly FollowedSession[]): LearnedRecovery[] {
  const attempts = sessions.flatMap((session, index) =>
    listRecoveryAttempts(session).map((attempt) => ({ ...attempt, server: session.server, session: index })),
  );
  const groups = groupBy(attempts, (attempt) =>
    JSON.stringify([attempt.server, attempt.failed.tool, toErrorKey(attempt.failed.error)]),
  );
  return [...groups.values()]
    .flatMap((group) => findBestWay(capPerSession(group, (one) => JSON.stringify(one.steps ?? null))) ?? [])
    .sort((one, other) => other.attempts.n - one.attempts.n || (toSortKey(one) < toSortKey(other) ? -1 : 1));
}

const toSortKey = ({ server, tool, code, argument, template }: LearnedRecovery): string =>
  JSON.stringify([server, tool, code, argument, template]);

/** The message tells errors apart only where no code of the tool's own does. */
function toErrorKey({ outcome, code, template, argument }: FollowedError): FollowedError {
  const hasOwnCode = code !== '' && code !== outcome;
  return { outcome, code, argument, template: hasOwnCode ? '' : template };
}

/** The first attempts of each session in each way. */
function capPerSession<Attempt extends SessionAttempt>(
  attempts: readonly Attempt[],
  toWay: (attempt: Attempt) => string,
): Attempt[] {
  const groups = groupBy(attempts, (one) => `${one.session} ${toWay(one)}`);
  return [...groups.values()].flatMap((group) => group.slice(0, MAX_ATTEMPTS_PER_SESSION));
}

function findBestWay(attempts: readonly SessionAttempt[]): LearnedRecovery | undefined {
  const [first] = attempts;
  if (first === undefined) return undefined;
  const ways = new Map(
    attempts.flatMap(({ steps }) => (steps ? listWays(steps) : [])).map((way) => [JSON.stringify(way), way]),
  );
  const found = [...ways.values()].flatMap((steps) => measureWay(steps, attempts) ?? []);
  const best = found.reduce<MeasuredWay | undefined>(
    (one, other) => (one === undefined || isBetter(other, one) ? other : one),
    undefined,
  );
  if (best === undefined) return undefined;
  const { low: _, ...way } = best;
  return { server: first.server, tool: first.failed.tool, ...toErrorKey(first.failed.error), ...way };
}

/** The steps themselves, and parts of them: most tools that were called in between had no influence. */
function listWays(steps: RecoverySteps): RecoverySteps[] {
  const { tools, changedArguments, insteadTool } = steps;
  if (insteadTool !== '' || tools.length + changedArguments.length === 0) return [steps];
  const changes = listParts(changedArguments);
  return listParts(tools)
    .flatMap((some) => changes.map((changed) => ({ ...steps, tools: some, changedArguments: changed })))
    .filter((way) => way.tools.length + way.changedArguments.length > 0);
}

/** Nothing, each one, and all if these are few. */
function listParts(items: readonly string[]): (readonly string[])[] {
  const isFew = items.length > 1 && items.length <= MAX_STEPS;
  return [[], ...items.map((item) => [item]), ...(isFew ? [items] : [])];
}

interface MeasuredWay extends Pick<LearnedRecovery, 'steps' | 'attempts' | 'sessions' | 'otherwise'> {
  /** Lower bound of the rate of success. */
  readonly low: number;
}

/** @returns undefined where it is not certain that the way works better than the others */
function measureWay(steps: RecoverySteps, all: readonly SessionAttempt[]): MeasuredWay | undefined {
  const matching = all.filter((attempt) => attempt.steps !== undefined && isWay(steps, attempt.steps));
  const attempts = countAttempts(capPerSession(matching, () => ''));
  if (attempts.n < MIN_ATTEMPTS || attempts.succeeded < MIN_SUCCESS_RATE * attempts.n) return undefined;
  const successful = matching.filter(({ hasSucceeded }) => hasSucceeded);
  const sessions = new Set(successful.map(({ session }) => session)).size;
  const otherwise = countAttempts(all.filter((attempt) => !matching.includes(attempt)));
  const { low } = toWilsonInterval(attempts.succeeded, attempts.n);
  const isBetterThanOthers = otherwise.n === 0 || low > otherwise.succeeded / otherwise.n;
  if (sessions < MIN_SESSIONS || !isBetterThanOthers) return undefined;
  return { steps, attempts, sessions, otherwise, low };
}

function isWay(way: RecoverySteps, taken: RecoverySteps): boolean {
  if (way.insteadTool !== '' || taken.insteadTool !== '') return way.insteadTool === taken.insteadTool;
  if (way.tools.length + way.changedArguments.length === 0)
    return (
      taken.tools.length + taken.changedArguments.length === 0 && way.isAfterPause === taken.isAfterPause
    );
  return (
    way.tools.every((tool) => taken.tools.includes(tool)) &&
    way.changedArguments.every((name) => taken.changedArguments.includes(name))
  );
}

const countAttempts = (attempts: readonly RecoveryAttempt[]): AttemptCount => ({
  n: attempts.length,
  succeeded: attempts.filter(({ hasSucceeded }) => hasSucceeded).length,
});

/** Of two ways that are equally certain, the one that says more; then the first by name, whatever the order of sessions. */
function isBetter(one: MeasuredWay, other: MeasuredWay): boolean {
  if (one.low !== other.low) return one.low > other.low;
  const [steps, otherSteps] = [countSteps(one.steps), countSteps(other.steps)];
  return steps === otherSteps ? JSON.stringify(one.steps) < JSON.stringify(other.steps) : steps > otherSteps;
}

const countSteps = ({ tools, changedArguments }: RecoverySteps): number =>
  tools.length + changedArguments.length;
