// TD018: errors that show the inside of the server. A path alone is only suspicious where the tool takes none: a file
// server has to say which file.

import { declaredArguments } from '../declared-arguments.ts';
import type { Observation } from '../finding.ts';
import { formatShareOf } from '../format-counts.ts';
import { nameWords } from '../name-words.ts';
import type { ToolTraffic, TrafficRule } from '../rule.ts';
import { MIN_FAILURES } from '../thresholds.ts';
import { collectToolErrors, evidenceCallsOf, messagesOf, sumOf } from '../tool-errors.ts';

const PATH_WORDS: ReadonlySet<string> = new Set(
  'path paths file files filename dir directory folder uri url source destination target script command cwd root'.split(
    ' ',
  ),
);

export const leakingErrors: TrafficRule = {
  id: 'TD018',
  level: 'error',
  title: 'Errors leak internals',
  condition: `An error carries a stack trace; or (a warning) ${MIN_FAILURES} errors carry a path, and no argument of the tool is one.`,
  disprovedBy: 'The trace or path is the answer that was asked for.',
  check: (traffic) => {
    const { groups, calls } = collectToolErrors(traffic.evidence);
    const traces = sumOf(groups, ({ withStackTrace }) => withStackTrace);
    const paths = sumOf(groups, ({ withPath }) => withPath);
    if (traces > 0)
      return [toObservation(traffic, { what: 'a stack trace', leaks: traces, calls, level: 'error' })];
    if (paths < MIN_FAILURES || takesPaths(traffic)) return [];
    return [toObservation(traffic, { what: 'a path of the server', leaks: paths, calls, level: 'warning' })];
  },
};

function takesPaths({ definition }: ToolTraffic): boolean {
  if (definition === undefined) return true;
  return declaredArguments(definition).some(({ name }) =>
    nameWords(name).some((word) => PATH_WORDS.has(word)),
  );
}

interface Leak {
  readonly what: string;
  readonly leaks: number;
  readonly calls: number;
  readonly level: 'warning' | 'error';
}

function toObservation({ evidence }: ToolTraffic, { what, leaks, calls, level }: Leak): Observation {
  const { tool } = evidence;
  const { groups } = collectToolErrors(evidence);
  const leaking = groups.filter(({ withStackTrace, withPath }) => withStackTrace + withPath > 0);
  return {
    tool,
    level,
    finding: `${formatShareOf(leaks, calls, 'error')} of "${tool}" carry ${what}.`,
    evidence: {
      counts: { errors: calls, leaking: leaks },
      names: { codes: [...new Set(leaking.map(({ code }) => code))], messages: messagesOf(leaking) },
      calls: evidenceCallsOf(evidence, leaking),
    },
    suggestion: {
      text: 'Catch it at the border of the tool: the trace to the log, a code and a sentence to the agent.',
      edits: [],
    },
  };
}
