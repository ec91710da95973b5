// A loop in words: its kind, the rule that found it with the numbers it turned on, and what would have cleared it.

import type { LoopEvidenceCall, LoopRow } from '../../../src/contract/loops.ts';
import type { Told } from './told.ts';

type Kind = LoopRow['kind'];

interface Rule {
  readonly name: string;
  /** What has to be seen, without its numbers: those are the service's and stand beside it. */
  readonly rule: string;
  /** Names of thresholds that the rule turns on, with their words. */
  readonly turnsOn: Readonly<Record<string, string>>;
  readonly clearedBy: string;
}

const RULES: Readonly<Record<Kind, Rule>> = {
  truncated_arguments: {
    name: 'Truncated arguments',
    rule: 'A tool that refuses a call again and again because the same required argument is missing.',
    turnsOn: { truncations: 'equal refusals' },
    clearedBy: 'a call with the argument',
  },
  repeat: {
    name: 'Repeat',
    rule: 'The same call with the same answer, back to back.',
    turnsOn: {
      repeats: 'equal calls in a row',
      longRepeats: 'if the answer is long',
      longBytes: 'bytes make an answer long',
      cursorRepeats: 'if a cursor moved',
    },
    clearedBy: 'another answer, or another call between',
  },
  stuck_poll: {
    name: 'Stuck poll',
    rule: 'A poller, known by its even pace, that has seen no change for long.',
    turnsOn: { polls: 'polls without a change', pollPauseMs: 'ms between two polls, at least' },
    clearedBy: 'any change in the answer',
  },
  cycle: {
    name: 'Cycle',
    rule: 'The same few calls in the same order, each with the answer it had the round before.',
    turnsOn: {
      laps: 'rounds',
      weakLaps: 'if answers are equal but for noise',
      longestPeriod: 'calls in a round, at most',
    },
    clearedBy: 'one new answer in a round',
  },
  error_streak: {
    name: 'Error streak',
    rule: 'A tool that fails in the same way, whatever it is asked, with no success between.',
    turnsOn: { failures: 'equal failures', failuresAmong: 'among so many calls' },
    clearedBy: 'one success, or another failure',
  },
  no_effect: {
    name: 'No effect',
    rule: 'The same check with the same answer amid other work, which thus changed nothing.',
    turnsOn: {
      checks: 'unchanged checks',
      checksAmong: 'among so many calls',
      denseChecks: 'if they are nearly back to back',
      denseChecksAmong: 'among so many calls',
      failingChecks: 'if it fails, among all remembered calls',
    },
    clearedBy: 'another answer to the check',
  },
  same_answer: {
    name: 'Same answer',
    rule: 'A tool that gives the very same answer, whatever it is asked.',
    turnsOn: { sameAnswers: 'equal answers', sameAnswersAmong: 'among so many calls' },
    clearedBy: 'another answer',
  },
  nothing_new: {
    name: 'Nothing new',
    rule: 'A stretch of calls that only goes back to what was asked and answered before.',
    turnsOn: { revisits: 'revisits', revisitsAmong: 'among so many calls' },
    clearedBy: 'more calls that bring something new',
  },
  burst: {
    name: 'Burst',
    rule: 'Many calls in a minute. A pace, no verdict.',
    turnsOn: { callsPerMinute: 'calls in a minute' },
    clearedBy: 'a slower pace',
  },
  budget: {
    name: 'Long session',
    rule: 'Many calls in one session. A length, no verdict.',
    turnsOn: { callsPerSession: 'calls in a session' },
    clearedBy: 'nothing: it is a count',
  },
};

/** Whether a text names a kind of loop. */
export function isKind(text: string): text is Kind {
  return Object.hasOwn(RULES, text);
}

export function formatKind(kind: Kind): string {
  return RULES[kind].name;
}

export interface ToldRule extends Pick<Rule, 'rule' | 'clearedBy'> {
  readonly numbers: readonly { readonly name: string; readonly value: number; readonly words: string }[];
}

/** The rule of a loop with the thresholds it was found by; a threshold that the service did not send is left out. */
export function prepareRule({ kind, thresholds }: Pick<LoopRow, 'kind' | 'thresholds'>): ToldRule {
  const { rule, turnsOn, clearedBy } = RULES[kind];
  const numbers = Object.entries(turnsOn).flatMap(([name, words]) => {
    const value = thresholds[name];
    return value === undefined ? [] : [{ name, value, words }];
  });
  return { rule, clearedBy, numbers };
}

const FIRST: Told = { tone: 'first', words: 'first round' };
const ANSWERS: Readonly<Record<LoopEvidenceCall['sameAnswer'], Told>> = {
  none: FIRST,
  equal: { tone: 'same', words: 'same answer' },
  masked: { tone: 'same', words: 'same but for times and request ids' },
  noisy: { tone: 'same', words: 'same but for noise' },
  failure: { tone: 'same', words: 'same failure' },
  different: { tone: 'changed', words: 'another answer' },
  unknown: { tone: 'unknown', words: 'not known' },
};

export function tellAnswer({ sameAnswer }: Pick<LoopEvidenceCall, 'sameAnswer'>): Told {
  return ANSWERS[sameAnswer];
}

type Round = Pick<LoopEvidenceCall, 'sameArguments' | 'changedArguments' | 'sameAnswer'>;

/** Names of arguments that changed stand beside these words. */
export function tellArguments({ sameArguments, changedArguments, sameAnswer }: Round): Told {
  if (sameArguments === true) return { tone: 'same', words: 'same arguments' };
  if (changedArguments.length > 0 || sameArguments === false) return { tone: 'changed', words: 'changed' };
  return sameAnswer === 'none' ? FIRST : { tone: 'unknown', words: 'not known' };
}
