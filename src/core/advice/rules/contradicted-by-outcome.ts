// TD029: hints that outcomes contradict. Who only reads does not collide with what is there already.

import type { Observation } from '../finding.ts';
import { callsOfGroups, sumOf } from '../own-errors.ts';
import type { TrafficRule } from '../rule.ts';
import { SEVERAL_FAILURES } from '../thresholds.ts';
import { listOf, shareOf } from '../wording.ts';

const EXISTS =
  /^(?:E_?)?(?:ALREADY_?EXISTS|EXISTS|DUPLICATE\w*|UNIQUE_\w+)$|(?:^|_)(?:ALREADY_EXISTS|DUPLICATE)(?:_|$)/i;
const CONFLICT = /^(?:HTTP_409|409|CONFLICT)$|_CONFLICT$/i;

export const contradictedByOutcome: TrafficRule = {
  id: 'TD029',
  level: 'warning',
  title: 'Annotation against the outcomes',
  condition: `At least ${SEVERAL_FAILURES} calls of a tool with \`readOnlyHint\` failed with a conflict, or of one with \`idempotentHint\` with "already exists".`,
  disprovedBy: 'The code means something else here.',
  check: ({ evidence: { tool, calls, failures }, definition }): Observation[] => {
    const { readOnlyHint, idempotentHint } = definition?.annotations ?? {};
    const hint = readOnlyHint === true ? 'readOnlyHint' : 'idempotentHint';
    if (readOnlyHint !== true && idempotentHint !== true) return [];
    const telling = failures.filter(
      ({ code }) => EXISTS.test(code) || (readOnlyHint === true && CONFLICT.test(code)),
    );
    const count = sumOf(telling, (group) => group.calls);
    if (count < SEVERAL_FAILURES) return [];
    const codes = [...new Set(telling.map(({ code }) => code))];
    return [
      {
        tool,
        finding: `"${tool}" has \`${hint}: true\`, but ${shareOf(count, calls)} failed with ${listOf(codes)}.`,
        evidence: {
          counts: { calls, failures: count },
          names: { codes, hint: [hint] },
          calls: callsOfGroups({ tool, failures }, telling),
        },
        suggestion: {
          text: `Set \`${hint}\` to false, or let a repeat succeed.`,
          edits: [{ tool, pointer: `/annotations/${hint}`, before: true, after: false }],
        },
        callsLost: count,
      },
    ];
  },
};
