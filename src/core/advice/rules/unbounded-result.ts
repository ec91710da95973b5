// TD015: results that fill the agent's context, and no way to ask for less.

import { declaredArguments } from '../declared-arguments.ts';
import type { Observation } from '../finding.ts';
import { nameWords } from '../name-words.ts';
import type { TrafficRule } from '../rule.ts';
import { LARGE_RESULT_TOKENS, MIN_CALLS } from '../thresholds.ts';

const LIMIT_WORDS: ReadonlySet<string> = new Set(
  'limit max maximum count size page cursor offset head tail top first last number lines depth fields range length tokens rows truncate verbose summary detail'.split(
    ' ',
  ),
);

export const unboundedResult: TrafficRule = {
  id: 'TD015',
  level: 'warning',
  title: 'Unbounded results',
  condition: `The 95th percentile of at least ${MIN_CALLS} results is ${LARGE_RESULT_TOKENS} tokens or more, and no argument limits or pages it.`,
  disprovedBy: 'Agents need all of it: they use the end of the result as much as its beginning.',
  check: ({ evidence: { tool, results }, definition }): Observation[] => {
    const { measured, p95Tokens, largestTokens } = results;
    if (definition === undefined || measured < MIN_CALLS || p95Tokens < LARGE_RESULT_TOKENS) return [];
    const hasLimit = declaredArguments(definition).some(({ name }) =>
      nameWords(name).some((word) => LIMIT_WORDS.has(word)),
    );
    if (hasLimit) return [];
    return [
      {
        tool,
        finding: `One result in twenty of "${tool}" has ${p95Tokens} tokens or more (largest ${largestTokens}, of ${measured}), and no argument asks for less.`,
        evidence: { counts: { results: measured, p95Tokens, largestTokens }, names: {}, calls: { tool } },
        suggestion: {
          text: 'Take a `limit` and a `cursor`, with a small default, and say in the result how to get the rest.',
          edits: [
            {
              tool,
              pointer: '/inputSchema/properties/limit',
              after: { type: 'integer', minimum: 1, maximum: 100, default: 20 },
            },
            {
              tool,
              pointer: '/inputSchema/properties/cursor',
              after: {
                type: 'string',
                description: 'Where the last page ended; leave it out for the first.',
              },
            },
          ],
        },
      },
    ];
  },
};
