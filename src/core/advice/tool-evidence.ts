// What happened to a tool's calls, as far as advice needs it: counts, names, and keyed fingerprints already compared.
// The port of this room: whoever has calls fills it. What is not known is left out of the denominators, never guessed;
// a count of 0 beside a denominator of 0 says nothing.

import type { Fault, Outcome } from '../model/outcome.ts';

/** What the agent did after an error, by calls; they add up to at most the calls of the group. */
export interface AfterError {
  /** The same tool with the same arguments at once. */
  readonly sameCall: number;
  /** The same tool, and the argument at fault (or any, where none is named) had changed. */
  readonly changedArgument: number;
  readonly otherTool: number;
  /** The same tool succeeded later in the session. Counted beside the three above. */
  readonly recovered: number;
  /** The session's last call was this error. */
  readonly gaveUp: number;
}

/** Calls that failed alike: same code, same masked message, same argument at fault. */
export interface FailureEvidence {
  readonly code: string;
  readonly outcome: Outcome;
  readonly fault: Fault;
  /** Masked message: `limit must be <= <n>`. Empty where none was captured. */
  readonly template: string;
  /** Path of the argument that was refused; empty where the message does not say. */
  readonly argument: string;
  readonly calls: number;
  readonly sessions: number;
  /** Of the calls, those whose error had a code of the author's own: not one derived from the outcome's name. */
  readonly withCode: number;
  /** Calls whose error result was seen, so that the five counts below mean something. */
  readonly seen: number;
  readonly withRecovery: number;
  readonly withRetryable: number;
  readonly withStackTrace: number;
  readonly withPath: number;
  /** Of the server, that it happened in; left out where nobody knows. */
  readonly versions?: readonly string[];
  readonly next: AfterError;
}

/** One argument by its path, declared or not. Top-level ones always; nested ones where they were refused. */
export interface ArgumentEvidence {
  /** `limit`, `filter.status`, `items[].sku`. */
  readonly path: string;
  /** Calls whose argument names are known, sent or not. */
  readonly known: number;
  /** Of those, the calls that had it. `known - sent` left it out. */
  readonly sent: number;
  /** Calls refused because of this very path. */
  readonly invalid: number;
  /** Calls refused because something below this path was missing. */
  readonly incomplete: number;
  /** Calls that had it and whose fingerprints are of one key, so that they can be told apart. */
  readonly compared: number;
  /** Distinct fingerprints among `compared`. */
  readonly distinct: number;
  /** Calls with the most frequent fingerprint among `compared`. */
  readonly mostFrequent: number;
  /** Type class to calls: `string`, `int`, `number`, `boolean`, `object`, `array`, `null`. */
  readonly types: Readonly<Record<string, number>>;
  /** Longest text sent, in UTF-16 units; 0 when it never was a text. */
  readonly longestText: number;
  /** The distinct values themselves, most frequent first; only where capture is `redacted` or `full`. */
  readonly values?: readonly string[];
}

export interface ResultEvidence {
  /** Successful calls whose result was measured. */
  readonly measured: number;
  /** Characters over four, as for definitions. */
  readonly p95Tokens: number;
  readonly largestTokens: number;
  /** Of the measured: those with `structuredContent`. */
  readonly structured: number;
  /** Of the measured: without `structuredContent`, but the text is a JSON object or array. */
  readonly jsonText: number;
  /** Successes whose text or structure says that the call failed. */
  readonly errorInResult: number;
  /** Successes of which some items failed: `failed: 2`, a non-empty `errors` beside results. */
  readonly partialFailures: number;
  /** Calls whose result broke the declared output schema, by our judgement or the server's own. */
  readonly violations: number;
}

/** The same arguments of one session twice within a minute, both answered `ok`. */
export interface DuplicateEvidence {
  /** Calls beyond the first of each pair or run. */
  readonly calls: number;
  readonly sessions: number;
  /** Of those, answered with the very result of the first: the server recognised the repeat, or nothing was written. */
  readonly sameResult: number;
}

/** This tool was called and left, and another succeeded in its place within three calls. */
export interface ConfusionEvidence {
  readonly other: string;
  readonly calls: number;
  readonly sessions: number;
  /** Calls beside these that were left for it by plan: they are no confusion. */
  readonly planned?: number;
}

/** Use of one version of the definition. */
export interface VersionUse {
  readonly definitionHash: string;
  readonly serverVersion: string;
  /** Whether the newest listing has it. */
  readonly current: boolean;
  readonly calls: number;
  /** Of those, the calls after a newer version of the same server and environment was listed; 0 for the current one. */
  readonly staleCalls: number;
  /** Start of the last call that met it, in epoch milliseconds. */
  readonly lastCalledAtMs: number;
  /** Who made the stale calls, or all of them where there were none: names with their versions, `cursor 2.1`. */
  readonly clients: readonly string[];
}

export interface ToolEvidence {
  readonly tool: string;
  /** Whether any listing ever had it; left out where that is not known. */
  readonly wasListed?: boolean;
  /** Counted `tools/call` requests in the range. */
  readonly calls: number;
  readonly sessions: number;
  /** Calls with a fault, client's or server's. */
  readonly errors: number;
  /** Start of the last call, in epoch milliseconds. */
  readonly lastCalledAtMs: number;
  /** Names with their versions. */
  readonly clients: readonly string[];
  readonly failures: readonly FailureEvidence[];
  readonly arguments: readonly ArgumentEvidence[];
  readonly results: ResultEvidence;
  readonly duplicates: DuplicateEvidence;
  readonly confusions: readonly ConfusionEvidence[];
  readonly versions: readonly VersionUse[];
}

const NO_RESULTS: ResultEvidence = {
  measured: 0,
  p95Tokens: 0,
  largestTokens: 0,
  structured: 0,
  jsonText: 0,
  errorInResult: 0,
  partialFailures: 0,
  violations: 0,
};

/** The evidence of a tool that was never called: what a reader of calls starts from. */
export function emptyToolEvidence(tool: string): ToolEvidence {
  return {
    tool,
    calls: 0,
    sessions: 0,
    errors: 0,
    lastCalledAtMs: 0,
    clients: [],
    failures: [],
    arguments: [],
    results: NO_RESULTS,
    duplicates: { calls: 0, sessions: 0, sameResult: 0 },
    confusions: [],
    versions: [],
  };
}
