// TD030: the same write twice within a minute, and both times it was done. Equal answers do not clear it: "Comment added."
// is what a server says each time.

import type { Observation } from '../finding.ts';
import { formatNounCount } from '../format-counts.ts';
import type { ToolTraffic, TrafficRule } from '../rule.ts';
import { actionOf } from '../verbs.ts';
import { isRepeatingWrite } from './unsafe-repeat.ts';

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
      evidence: {
        counts: { calls: all, duplicates: calls, sessions, sameResult },
        names: {},
        calls: { tool },
      },
      suggestion: {
        text: 'Take an `idempotency_key` and answer a repeat with the first result; until then say in the result that it is done.',
        edits: [
          {
            tool,
            pointer: '/inputSchema/properties/idempotency_key',
            after: {
              type: 'string',
              description: 'The same key twice does it once; make a new one for each intent.',
            },
          },
        ],
      },
      callsLost: calls,
    },
  ];
}
