// Rules about what agents do with a tool: confuse it (TD007), repeat it (TD030), collide despite its hints (TD029).

import type { Observation } from '../finding.ts';
import { formatList, formatNounCount, formatShareOf } from '../format-counts.ts';
import type { ToolTraffic, TrafficRule } from '../rule.ts';
import { evidenceCallsOf, MIN_FAILURES, sumOf } from '../tool-errors.ts';
import type { ConfusionEvidence } from '../tool-evidence.ts';
import { actionOf } from '../verbs.ts';
import { isRepeatingWrite } from './unsafe-repeat.ts';

/** Two agents, so that it is the words and not one task. */
const MIN_CONFUSED_SESSIONS = 2;

export const confusedTools: TrafficRule = {
  id: 'TD007',
  level: 'warning',
  title: 'Tools that agents confuse',
  condition: `At least ${MIN_FAILURES} calls in ${MIN_CONFUSED_SESSIONS} sessions were left, and another tool succeeded in their place within three calls; not counted are those where the error or a description sends agents on to that tool, or whose answer said that nothing was there and the next call takes no argument over.`,
  disprovedBy: 'The second tool is the planned next step after the first, not a correction.',
  confirms: 'TD006',
  // A name that is not listed is an invented one, and no two descriptions are alike.
  check: (traffic) =>
    (traffic.tools.length > 0 && traffic.definition === undefined ? [] : traffic.evidence.confusions)
      .filter(isConfirmedConfusion)
      .map((confusion) => toConfusionObservation(traffic, confusion)),
};

/** Whether it happened often enough to be a pattern. */
export function isConfirmedConfusion({
  calls,
  sessions,
}: Pick<ConfusionEvidence, 'calls' | 'sessions'>): boolean {
  return calls >= MIN_FAILURES && sessions >= MIN_CONFUSED_SESSIONS;
}

function toConfusionObservation(
  { evidence, tools }: ToolTraffic,
  { other, calls, sessions, planned = 0 }: ConfusionEvidence,
) {
  const { tool } = evidence;
  const pair = tools.filter(({ name }) => name === tool || name === other);
  return {
    tool,
    finding: `${formatShareOf(calls, evidence.calls)} of "${tool}" were left in ${formatNounCount(sessions, 'session')}, and "${other}" succeeded instead.`,
    counts: { calls: evidence.calls, confused: calls, sessions, ...(planned > 0 && { planned }) },
    names: { tools: [tool, other] },
    calls: { tool },
    suggestion: `Say in both descriptions when to use the other.`,
    edits: pair.map(({ name, description = '' }) => ({
      tool: name,
      pointer: '/description',
      ...(description !== '' && { before: description }),
      after:
        `${description.trim().replace(/([^.])$/, '$1.')} Use ${name === tool ? other : tool} instead when <…>.`.trim(),
    })),
    callsLost: calls,
  };
}

const ALREADY_EXISTS_CODE =
  /^(?:E_?)?(?:ALREADY_?EXISTS|EXISTS|DUPLICATE\w*|UNIQUE_\w+)$|(?:^|_)(?:ALREADY_EXISTS|DUPLICATE)(?:_|$)/i;
const CONFLICT_CODE = /^(?:HTTP_409|409|CONFLICT)$|_CONFLICT$/i;

export const annotationsContradictOutcomes: TrafficRule = {
  id: 'TD029',
  level: 'warning',
  title: 'Annotation contradicts the outcomes',
  condition: `At least ${MIN_FAILURES} calls of a tool with \`readOnlyHint\` failed with a conflict, or of one with \`idempotentHint\` with "already exists".`,
  disprovedBy: 'The code means something else here.',
  check: ({ evidence: { tool, calls, failures }, definition }): Observation[] => {
    const { readOnlyHint, idempotentHint } = definition?.annotations ?? {};
    const hint = readOnlyHint === true ? 'readOnlyHint' : 'idempotentHint';
    if (readOnlyHint !== true && idempotentHint !== true) return [];
    const contradicting = failures.filter(
      ({ code }) => ALREADY_EXISTS_CODE.test(code) || (readOnlyHint === true && CONFLICT_CODE.test(code)),
    );
    const count = sumOf(contradicting, (group) => group.calls);
    if (count < MIN_FAILURES) return [];
    const codes = [...new Set(contradicting.map(({ code }) => code))];
    return [
      {
        tool,
        finding: `"${tool}" has \`${hint}: true\`, but ${formatShareOf(count, calls)} failed with ${formatList(codes)}.`,
        counts: { calls, failures: count },
        names: { codes, hint: [hint] },
        calls: evidenceCallsOf({ tool, failures }, contradicting),
        suggestion: `Set \`${hint}\` to false, or let a repeat succeed.`,
        edits: [{ tool, pointer: `/annotations/${hint}`, before: true, after: false }],
        callsLost: count,
      },
    ];
  },
};

const MIN_DUPLICATES = 2;

export const accidentalDuplicates: TrafficRule = {
  id: 'TD030',
  level: 'warning',
  title: 'Writes done twice',
  condition: `At least ${MIN_DUPLICATES} times a tool that writes and is not idempotent was called twice with the same arguments within a minute, and both calls succeeded; a note where the answers were all the same.`,
  disprovedBy: 'The server recognises the repeat and writes once, or the user wanted two.',
  confirms: 'TD021',
  check: (traffic) => (isUnsafeToRepeat(traffic) ? toObservations(traffic) : []),
};

function isUnsafeToRepeat({ definition, tools }: ToolTraffic): boolean {
  if (definition === undefined) return false;
  const siblings = tools.map(({ name }) => name);
  if (isRepeatingWrite(definition, siblings)) return true;
  const kind = actionOf(definition.name)?.kind;
  const { idempotentHint, readOnlyHint } = definition.annotations ?? {};
  return idempotentHint === false && readOnlyHint === false && (kind === 'change' || kind === 'delete');
}

function toObservations({ evidence: { tool, calls: all, duplicates } }: ToolTraffic): Observation[] {
  const { calls, sessions, sameResult } = duplicates;
  if (calls < MIN_DUPLICATES) return [];
  return [
    {
      tool,
      level: sameResult < calls ? 'warning' : 'note',
      finding: `"${tool}" was called ${formatNounCount(calls, 'time')} again with the same arguments within a minute, in ${formatNounCount(sessions, 'session')}, and succeeded each time.`,
      counts: { calls: all, duplicates: calls, sessions, sameResult },
      calls: { tool },
      suggestion:
        'Take an `idempotency_key` and answer a repeat with the first result; until then say in the result that it is done.',
      edits: [
        {
          tool,
          pointer: '/inputSchema/properties/idempotency_key',
          after: {
            type: 'string',
            description: 'Two calls with the same key have one effect; use a new key for each intent.',
          },
        },
      ],
      callsLost: calls,
    },
  ];
}
