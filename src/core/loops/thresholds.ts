// All thresholds of the loop detector in one table, each with its reason. Few and round by design: a number
// fitted to one set of sessions does not transfer to the next agent.

import { DEFAULT_NOISE_LIMITS, type NoiseLimits } from '../model/compare-answers.ts';

export interface LoopThresholds extends NoiseLimits {
  /** Calls in a row with the same arguments and the same answer. */
  readonly repeats: number;
  /** The same for a long answer, which an agent may have to read again. */
  readonly longRepeats: number;
  /** Minimum size of a long answer, in bytes. */
  readonly longBytes: number;
  /** The same if a cursor moved and the answer did not: a page or two may be empty. */
  readonly cursorRepeats: number;
  /** Rounds of a cycle with unchanged answers. Checking a list twice is normal. */
  readonly laps: number;
  /** The same if answers are only nearly equal, or all are bare acknowledgements. */
  readonly weakLaps: number;
  /** Longest period of a cycle, in calls. */
  readonly longestPeriod: number;
  /** Failures of one tool in the same way, with no success between. */
  readonly failures: number;
  /** Among this many calls of the session: with other calls in between, the agent works on the failure. */
  readonly failuresAmong: number;
  /** The same check with the same answer among other calls, such as a test that fails after every edit. */
  readonly checks: number;
  /** Among this many calls. */
  readonly checksAmong: number;
  /** The same check with the same answer, nearly back to back. */
  readonly denseChecks: number;
  /** Among this many calls. */
  readonly denseChecksAmong: number;
  /** The same check that fails the same way, within the window. */
  readonly failingChecks: number;
  /** Calls of one tool with the same long answer, whatever the arguments. */
  readonly sameAnswers: number;
  /** Among this many calls of the session. */
  readonly sameAnswersAmong: number;
  /** Refusals in a row because the same required argument was missing. */
  readonly truncations: number;
  /** Calls among which nearly nothing was new, in any order. */
  readonly revisitsAmong: number;
  /** How many of them must be revisits. Some are normal: a file is read again. */
  readonly revisits: number;
  /** Third and later reads of exactly the same, within the window. */
  readonly rereads: number;
  /** Repeated requests that had found nothing before, within the window. */
  readonly emptyAgain: number;
  /** Polls without any change. A job may be slow, so this is far above `repeats`. */
  readonly polls: number;
  /** A pause, in milliseconds, after which a new task begins. */
  readonly idleMs: number;
  /** Shortest pause of a poller, in milliseconds. */
  readonly pollPauseMs: number;
  /** Largest answer, in bytes, that can be a bare acknowledgement: a short line, plus 39 bytes of MCP's envelope. */
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

/** What a thresholds file may state about a tool, besides thresholds. */
export interface ToolExceptions {
  /** Its calls are ignored. */
  readonly exempt: boolean;
  /** Arguments whose values do not matter. */
  readonly ignored: ReadonlySet<string> | undefined;
}

/** A tool or a server in a thresholds file. */
export interface ThresholdEntry extends Partial<LoopThresholds> {
  readonly exempt?: boolean;
  readonly ignoredArguments?: readonly string[];
}

/** Thresholds for all, for a server (`notes`) or for a tool (`search`, `notes/search`). */
export interface ThresholdTable {
  readonly defaults?: Partial<LoopThresholds>;
  readonly servers?: Readonly<Record<string, ThresholdEntry>>;
  readonly tools?: Readonly<Record<string, ThresholdEntry>>;
}

/** The thresholds of one tool. The most specific entry wins: tool of a server, tool, server, defaults. */
export type ThresholdLookup = (serverName: string, toolName: string) => LoopThresholds;

export function createThresholdLookup(table: ThresholdTable = {}): ThresholdLookup {
  const { servers = {}, tools = {} } = table;
  // Shared, because thousands of sessions have a detector each.
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

/** The exceptions of one tool; the lists of ignored arguments add up. */
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
