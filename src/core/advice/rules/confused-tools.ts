// TD007: tools that agents really confuse: called, left, and another succeeds in its place.

import { formatNounCount, formatShareOf } from '../format-counts.ts';
import type { ToolTraffic, TrafficRule } from '../rule.ts';
import { MIN_FAILURES } from '../thresholds.ts';
import type { ConfusionEvidence } from '../tool-evidence.ts';

/** Two agents, so that it is the words and not one task. */
const MIN_CONFUSED_SESSIONS = 2;

export const confusedTools: TrafficRule = {
  id: 'TD007',
  level: 'warning',
  title: 'Tools that agents confuse',
  condition: `At least ${MIN_FAILURES} calls in ${MIN_CONFUSED_SESSIONS} sessions were left, and another tool succeeded in their place within three calls; not counted are those whose answer said that nothing was there, where a description sends agents on or the next call takes no argument over.`,
  disprovedBy: 'The second tool is the planned next step after the first, not a correction.',
  confirms: 'TD006',
  // A name that is not listed is an invented one, and no two descriptions are alike.
  check: (traffic) =>
    (traffic.tools.length > 0 && traffic.definition === undefined ? [] : traffic.evidence.confusions)
      .filter(({ calls, sessions }) => calls >= MIN_FAILURES && sessions >= MIN_CONFUSED_SESSIONS)
      .map((confusion) => toObservation(traffic, confusion)),
};

function toObservation(
  { evidence, tools }: ToolTraffic,
  { other, calls, sessions, planned = 0 }: ConfusionEvidence,
) {
  const { tool } = evidence;
  const pair = tools.filter(({ name }) => name === tool || name === other);
  return {
    tool,
    finding: `${formatShareOf(calls, evidence.calls)} of "${tool}" were left in ${formatNounCount(sessions, 'session')}, and "${other}" succeeded instead.`,
    evidence: {
      counts: { calls: evidence.calls, confused: calls, sessions, ...(planned > 0 && { planned }) },
      names: { tools: [tool, other] },
      calls: { tool },
    },
    suggestion: {
      text: `Say in both descriptions when to use the other.`,
      edits: pair.map(({ name, description = '' }) => ({
        tool: name,
        pointer: '/description',
        ...(description !== '' && { before: description }),
        after:
          `${description.trim().replace(/([^.])$/, '$1.')} Use ${name === tool ? other : tool} instead when <…>.`.trim(),
      })),
    },
    callsLost: calls,
  };
}
