// TD029: hints that outcomes contradict. Who only reads does not collide with what is there already.

import type { Observation } from '../finding.ts';
import { formatList, formatShareOf } from '../format-counts.ts';
import type { TrafficRule } from '../rule.ts';
import { MIN_FAILURES } from '../thresholds.ts';
import { evidenceCallsOf, sumOf } from '../tool-errors.ts';

const ALREADY_EXISTS_CODE =
  /^(?:E_?)?(?:ALREADY_?EXISTS|EXISTS|DUPLICATE\w*|UNIQUE_\w+)$|(?:^|_)(?:ALREADY_EXISTS|DUPLICATE)(?:_|$)/i;
const CONFLICT_CODE = /^(?:HTTP_409|409|CONFLICT)$|_CONFLICT$/i;

export const annotationsContradictOutcomes: TrafficRule = {
  id: 'TD029',
  level: 'warning',
  title: 'Annotation against the outcomes',
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
        evidence: {
          counts: { calls, failures: count },
          names: { codes, hint: [hint] },
          calls: evidenceCallsOf({ tool, failures }, contradicting),
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
