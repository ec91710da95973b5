// What happened to a tool's calls, as counts, names and compared fingerprints. Unknown values are left out of denominators.

import type { Fault, Outcome } from '../model/outcome.ts';

/** What the agent did after an error, in calls. */
export interface AfterError {
  /** The same tool with the same arguments at once. */
  readonly sameCall: number;
  /** The same tool with the failing argument changed, or any argument if none is named. */
  readonly changedArgument: number;
  readonly otherTool: number;
  /** The same tool succeeded later in the session; counted in addition to the others. */
  readonly recovered: number;
  /** The session's last call was this error. */
  readonly gaveUp: number;
}

/** Failures with the same code, masked message and argument. */
export interface FailureEvidence {
  readonly code: string;
  readonly outcome: Outcome;
  readonly fault: Fault;
  /** Masked message, such as `limit must be <= <n>`; empty if none was captured. */
  readonly template: string;
  /** Path of the rejected argument; empty if unknown. */
  readonly argument: string;
  readonly calls: number;
  readonly sessions: number;
  /** Calls whose error has a code of its own, not derived from the outcome. */
  readonly withCode: number;
  /** Calls whose error result was seen: the denominator of the next four counts. */
  readonly seen: number;
  readonly withRecovery: number;
  readonly withRetryable: number;
  /** Errors that say `retryable: false`. */
  readonly withFinal?: number;
  /** Errors that say how long to wait. */
  readonly withRetryAfter?: number;
  /** Calls of the tool that came before that time: the same call, or one that failed too. */
  readonly tooEarly?: number;
  readonly withStackTrace: number;
  readonly withPath: number;
  /** Versions of the server with this failure, if known. */
  readonly versions?: readonly string[];
  readonly next: AfterError;
}

/** One argument, declared or not. Nested ones only if they were rejected. */
export interface ArgumentEvidence {
  /** `limit`, `filter.status`, `items[].sku`. */
  readonly path: string;
  /** Calls with known argument names. */
  readonly known: number;
  /** Of those, calls that sent it. */
  readonly sent: number;
  /** Calls rejected because of this path. */
  readonly invalid: number;
  /** Calls rejected because something below this path was missing. */
  readonly incomplete: number;
  /** Calls that sent it, with fingerprints of one key. */
  readonly compared: number;
  /** Distinct fingerprints among `compared`. */
  readonly distinct: number;
  /** Calls with the most frequent fingerprint among `compared`. */
  readonly mostFrequent: number;
  /** Type class to calls: `string`, `int`, `number`, `boolean`, `object`, `array`, `null`. */
  readonly types: Readonly<Record<string, number>>;
  /** Longest text sent, in UTF-16 units; 0 if it was never a text. */
  readonly longestText: number;
  /** The distinct values, most frequent first; only in capture modes `redacted` and `full`. */
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
  /** Successes whose result reports a failure. */
  readonly errorInResult: number;
  /** Successes with failed items: `failed: 2`, or `errors` next to results. */
  readonly partialFailures: number;
  /** Successes with a list of more than a hundred rows, and no field that says whether there are more. */
  readonly longLists?: number;
  /** Calls whose result violated the declared output schema. */
  readonly violations: number;
}

/** Repeats of a call with the same arguments in one session within a minute, all answered `ok`. */
export interface DuplicateEvidence {
  /** Calls beyond the first of each pair or run. */
  readonly calls: number;
  readonly sessions: number;
  /** Of those, calls with the same result as the first. */
  readonly sameResult: number;
}

/** Successful calls that repeated an idempotency key with the same arguments. */
export interface KeyReuseEvidence {
  readonly repeated: number;
  /** Of those, calls with another result than the first. */
  readonly different: number;
}

/** This tool was called, and another one succeeded instead within three calls. */
export interface ConfusionEvidence {
  readonly other: string;
  readonly calls: number;
  readonly sessions: number;
  /** Planned switches, which are not confusion. */
  readonly planned?: number;
}

/** Use of one version of the definition. */
export interface VersionUse {
  readonly definitionHash: string;
  readonly serverVersion: string;
  /** Whether the newest listing has it. */
  readonly current: boolean;
  readonly calls: number;
  /** Of those, calls after a newer version was listed in the same environment. */
  readonly staleCalls: number;
  /** Start of the last call with this version, in epoch milliseconds. */
  readonly lastCalledAtMs: number;
  /** Clients of the stale calls, or of all calls if there are none: `cursor 2.1`. */
  readonly clients: readonly string[];
}

export interface ToolEvidence {
  readonly tool: string;
  /** Whether it was ever listed; undefined if unknown. */
  readonly wasListed?: boolean;
  /** Calls in the range. */
  readonly calls: number;
  readonly sessions: number;
  /** Calls with a client or server fault. */
  readonly errors: number;
  /** Start of the last call, in epoch milliseconds. */
  readonly lastCalledAtMs: number;
  /** Names with their versions. */
  readonly clients: readonly string[];
  readonly failures: readonly FailureEvidence[];
  readonly arguments: readonly ArgumentEvidence[];
  readonly results: ResultEvidence;
  readonly duplicates: DuplicateEvidence;
  readonly keyReuse?: KeyReuseEvidence;
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

/** The evidence of a tool that was never called. */
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
