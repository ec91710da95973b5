// What the scripts did, one line a call, written down while they do it. Expectations are counted from here with plain
// filters; nothing of it is read from the store.
import { groupBy } from '../../support/oracle/call-stats.ts';

export interface LoggedCall {
  readonly server: string;
  readonly version: string;
  readonly session: string;
  readonly client: string;
  /** Empty for a call without a plan id. */
  readonly plan: string;
  readonly tool: string;
  /** Epoch milliseconds. */
  readonly startedMs: number;
  /** As JSON: equal texts are equal arguments. */
  readonly args: string;
  readonly answer: 'ok' | 'failed' | 'refused' | 'unknown';
  /** Fields of the result with values that can be recognised, each with the values that later calls may take. */
  readonly offers: Readonly<Record<string, readonly string[]>>;
  /** What the script meant by it: `limit`, `trace`, `note`… */
  readonly about: string;
}

export interface Listing {
  readonly server: string;
  readonly version: string;
  readonly session: string;
  readonly atMs: number;
}

export interface CallLog {
  readonly facts: readonly LoggedCall[];
  readonly listings: readonly Listing[];
  note(fact: LoggedCall): void;
  noteListing(listing: Listing): void;
}

export function createCallLog(): CallLog {
  const facts: LoggedCall[] = [];
  const listings: Listing[] = [];
  return {
    facts,
    listings,
    note: (fact) => facts.push(fact),
    noteListing: (listing) => listings.push(listing),
  };
}

export const countDistinctSessions = (facts: readonly LoggedCall[]): number =>
  new Set(facts.map(({ session }) => session)).size;

export const isError = ({ answer }: LoggedCall): boolean => answer !== 'ok';

/** The calls of the same session after this one, in order. */
export function laterCalls(facts: readonly LoggedCall[], fact: LoggedCall): LoggedCall[] {
  return facts
    .filter(({ session, startedMs }) => session === fact.session && startedMs > fact.startedMs)
    .sort((one, other) => one.startedMs - other.startedMs);
}

/** What the agent did next: the same call, the tool with other arguments, another tool, or nothing any more. */
export function nextStep(
  facts: readonly LoggedCall[],
  fact: LoggedCall,
): 'same' | 'changed' | 'other' | 'gave up' {
  const [next] = laterCalls(facts, fact);
  if (next === undefined) return 'gave up';
  if (next.tool !== fact.tool) return 'other';
  return next.args === fact.args ? 'same' : 'changed';
}

/** The calls of each session, oldest first. */
export function listSessions(facts: readonly LoggedCall[]): LoggedCall[][] {
  const sessions = groupBy(
    [...facts].sort((one, other) => one.startedMs - other.startedMs),
    ({ session }) => session,
  );
  return [...sessions.values()];
}

/** Whether the same tool succeeded later in the session. */
export const isRecovered = (facts: readonly LoggedCall[], fact: LoggedCall): boolean =>
  laterCalls(facts, fact).some(({ tool, answer }) => tool === fact.tool && answer === 'ok');

/** Calls that repeat an earlier one of their session within a minute, where both were answered `ok`. */
export function findDuplicates(facts: readonly LoggedCall[]): LoggedCall[] {
  return facts.filter(
    (fact) =>
      fact.answer === 'ok' &&
      facts.some(
        (earlier) =>
          earlier.answer === 'ok' &&
          earlier.session === fact.session &&
          earlier.tool === fact.tool &&
          earlier.args === fact.args &&
          earlier.startedMs < fact.startedMs &&
          fact.startedMs - earlier.startedMs <= 60_000,
      ),
  );
}
