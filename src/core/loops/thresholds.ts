// All thresholds of the loop detector in one table, each with its reason. Few and round by design: a number
// fitted to one set of sessions does not transfer to the next agent.

import { DEFAULT_NOISE_LIMITS, type NoiseLimits } from '../model/compare-answers.ts';

export interface LoopThresholds extends NoiseLimits {
  /** Calls in a row with the same arguments and the same answer. Two are a double check, three a stubborn one. */
  readonly repeats: number;
  /** The same for a long answer, which an agent may have to read again. */
  readonly longRepeats: number;
  /** From this size on an answer is long, in bytes: a screen and more. */
  readonly longBytes: number;
  /** The same where a cursor moved and the answer did not: a page or two may be empty. */
  readonly cursorRepeats: number;
  /** Laps of a cycle with every answer as before. Going over a list twice is care, three times is a circle. */
  readonly laps: number;
  /**
   * The same if answers are equal only up to noise, or are all bare acknowledgements: then no change was
   * checked for.
   */
  readonly weakLaps: number;
  /** Longest period of a cycle, in calls. */
  readonly longestPeriod: number;
  /** Failures of one tool in the same way, with no success between. A retry or two is what retries are for. */
  readonly failures: number;
  /**
   * Among this many calls of the session. An agent that makes other calls between two attempts is working on
   * the failure.
   */
  readonly failuresAmong: number;
  /** The same check with the same answer amid other work: edit and test, edit and test, and the test never moves. */
  readonly checks: number;
  /** Among this many calls. */
  readonly checksAmong: number;
  /** The same check with the same answer, nearly back to back. */
  readonly denseChecks: number;
  /** Among this many calls. */
  readonly denseChecksAmong: number;
  /** The same check that fails the same way, among all calls that are remembered. */
  readonly failingChecks: number;
  /** Calls of one tool that are all answered by the same long text, whatever is asked. */
  readonly sameAnswers: number;
  /** Among this many calls of the session, as with failures. */
  readonly sameAnswersAmong: number;
  /** Refusals in a row because the same required argument was missing: the arguments arrived cut off. */
  readonly truncations: number;
  /** Calls in which next to nothing was new, whatever their order. */
  readonly revisitsAmong: number;
  /** How many of them must be revisits. Some are natural: a plan is looked at again, a file is read again. */
  readonly revisits: number;
  /** Third and later looks at exactly the same, among the calls that are remembered: a third of them. */
  readonly rereads: number;
  /** Questions asked again that had found nothing before, among the calls that are remembered. */
  readonly emptyAgain: number;
  /** Polls without any change. A job may be slow; the detector cannot know, so it waits three times as long. */
  readonly polls: number;
  /** A pause after which a new task begins: no agent thinks for so long, in milliseconds. */
  readonly idleMs: number;
  /** Shortest pause of a poller, in milliseconds. An agent that thinks comes back sooner, or not so evenly. */
  readonly pollPauseMs: number;
  /** Largest answer, in bytes, that can be a bare acknowledgement: a short line, and 39 bytes that MCP puts around it. */
  readonly acknowledgementBytes: number;
  /** Calls within a minute from which the rate is reported; never a verdict. */
  readonly callsPerMinute: number;
  /** Calls of a session from which its length is reported; never a verdict. */
  readonly callsPerSession: number;
}

export const DEFAULT_THRESHOLDS: LoopThresholds = {
  repeats: 4,
  longRepeats: 5,
  longBytes: 2000,
  cursorRepeats: 5,
  laps: 3,
  weakLaps: 4,
  longestPeriod: 15,
  failures: 5,
  failuresAmong: 6,
  checks: 6,
  checksAmong: 20,
  denseChecks: 5,
  denseChecksAmong: 7,
  failingChecks: 8,
  sameAnswers: 6,
  sameAnswersAmong: 8,
  truncations: 2,
  revisitsAmong: 12,
  revisits: 9,
  rereads: 16,
  emptyAgain: 16,
  polls: 15,
  idleMs: 240_000,
  pollPauseMs: 4000,
  ...DEFAULT_NOISE_LIMITS,
  acknowledgementBytes: 100,
  callsPerMinute: 60,
  callsPerSession: 30,
};

/** What else a tool may have said of it in a thresholds file. */
export interface ToolExceptions {
  /** Its calls are never judged: they are as if they had not been made. */
  readonly exempt: boolean;
  /** Arguments whose values mean nothing. */
  readonly ignored: ReadonlySet<string> | undefined;
}

/** A tool or a server in a thresholds file. */
export interface ThresholdEntry extends Partial<LoopThresholds> {
  readonly exempt?: boolean;
  readonly ignoredArguments?: readonly string[];
}

/** Defaults, and what differs for a server (`servers['notes']`) or a tool (`tools['search']`, `tools['notes/search']`). */
export interface ThresholdTable {
  readonly defaults?: Partial<LoopThresholds>;
  readonly servers?: Readonly<Record<string, ThresholdEntry>>;
  readonly tools?: Readonly<Record<string, ThresholdEntry>>;
}

/** The thresholds of one tool. The most specific entry wins: tool of a server, tool, server, defaults. */
export type ThresholdLookup = (serverName: string, toolName: string) => LoopThresholds;

export function createThresholdLookup(table: ThresholdTable = {}): ThresholdLookup {
  const { servers = {}, tools = {} } = table;
  // Shared where nothing differs: thousands of sessions have a detector each.
  if (Object.keys(table).length === 0) return defaultThresholds;
  const defaults = { ...DEFAULT_THRESHOLDS, ...table.defaults };
  if (Object.keys(servers).length + Object.keys(tools).length === 0) return () => defaults;
  return (serverName, toolName) => {
    const { exempt, ignoredArguments, ...thresholds }: LoopThresholds & ThresholdEntry = {
      ...defaults,
      ...ownEntry(servers, serverName),
      ...ownEntry(tools, toolName),
      ...ownEntry(tools, `${serverName}/${toolName}`),
    };
    return thresholds;
  };
}

function defaultThresholds(): LoopThresholds {
  return DEFAULT_THRESHOLDS;
}

const NO_EXCEPTIONS: ToolExceptions = { exempt: false, ignored: undefined };

function noExceptions(): ToolExceptions {
  return NO_EXCEPTIONS;
}

/** What a thresholds file excepts of one tool; the lists of ignored arguments add up. */
export function createExceptionLookup(
  table: ThresholdTable = {},
): (serverName: string, toolName: string) => ToolExceptions {
  const { servers = {}, tools = {} } = table;
  const hasExceptions = [...Object.values(servers), ...Object.values(tools)].some(
    ({ exempt, ignoredArguments }) => exempt !== undefined || ignoredArguments !== undefined,
  );
  if (!hasExceptions) return noExceptions;
  return (serverName, toolName) => {
    const entries = [
      ownEntry(servers, serverName),
      ownEntry(tools, toolName),
      ownEntry(tools, `${serverName}/${toolName}`),
    ];
    const ignored = entries.flatMap((entry) => entry?.ignoredArguments ?? []);
    return {
      exempt: entries.reduce((before, entry) => entry?.exempt ?? before, false),
      ignored: ignored.length === 0 ? undefined : new Set(ignored),
    };
  };
}

/** A tool may be called `constructor`. */
function ownEntry<T>(table: Readonly<Record<string, T>>, key: string): T | undefined {
  return Object.hasOwn(table, key) ? table[key] : undefined;
}
