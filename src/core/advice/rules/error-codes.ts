// TD051: a tool whose codes an agent cannot learn: two for the same thing, or too many.

import type { Observation } from '../finding.ts';
import { formatList } from '../format-counts.ts';
import { nameWords } from '../name-words.ts';
import type { TrafficRule } from '../rule.ts';
import { collectToolErrors, MIN_FAILURES, sumOf } from '../tool-errors.ts';
import type { FailureEvidence } from '../tool-evidence.ts';

/** More are seldom told apart by what an agent can do about them. */
const MAX_CODES = 12;

/** Codes of one meaning, without `_ERROR` and the like. Only names that differ in nothing but the word are here. */
const SYNONYMS: readonly (readonly string[])[] = [
  ['not found', 'does not exist', 'no such', 'missing resource'],
  [
    'invalid argument',
    'invalid arguments',
    'invalid parameter',
    'invalid parameters',
    'invalid params',
    'invalid input',
    'bad input',
    'bad request',
    'validation',
    'validation failed',
  ],
  ['already exists', 'duplicate', 'exists'],
  ['unauthorized', 'unauthenticated', 'not authenticated', 'authentication required', 'auth required'],
  ['forbidden', 'permission denied', 'access denied', 'not allowed'],
  ['rate limited', 'rate limit', 'rate limit exceeded', 'too many requests', 'throttled'],
  ['timeout', 'timed out', 'deadline exceeded'],
  ['unavailable', 'service unavailable'],
  ['internal', 'internal server', 'server', 'unexpected', 'unknown'],
];

export const unclearCodes: TrafficRule = {
  id: 'TD051',
  level: 'note',
  title: 'Too many or synonymous codes',
  condition: `Two codes of a tool are words for the same thing (\`INVALID_INPUT\` beside \`BAD_REQUEST\`), each in at least ${MIN_FAILURES} calls, or its errors have more than ${MAX_CODES} codes.`,
  disprovedBy: 'Agents can do different things about them, and the description says which.',
  check: ({ evidence }): Observation[] => {
    const { groups } = collectToolErrors(evidence);
    const own = groups.filter(({ withCode, code }) => withCode > 0 && code !== '');
    const codes = [...new Set(own.map(({ code }) => code))].sort();
    const frequent = codes.filter((code) => countCalls(own, code) >= MIN_FAILURES);
    const synonymous = SYNONYMS.map((words) =>
      frequent.filter((code) => words.includes(toWords(code))),
    ).filter((found) => found.length > 1);
    return [
      ...synonymous.map((found) =>
        toObservation(evidence.tool, found, {
          finding: `${found.length} codes of "${evidence.tool}" (${formatList(found)}) are words for the same thing: an agent that knows the one does not know the other.`,
          suggestion: 'Keep one of them.',
        }),
      ),
      ...(codes.length > MAX_CODES
        ? [
            toObservation(evidence.tool, codes, {
              finding: `The errors of "${evidence.tool}" have ${codes.length} codes.`,
              suggestion: 'Merge those about which an agent can do nothing different.',
            }),
          ]
        : []),
    ];
  },
};

const countCalls = (groups: readonly FailureEvidence[], code: string): number =>
  sumOf(
    groups.filter((group) => group.code === code),
    ({ calls }) => calls,
  );

/** `ERR_INVALID_INPUT`, `InvalidInputError` and `invalid-input` are the same words. */
const toWords = (code: string): string =>
  nameWords(code)
    .filter((word) => !/^(?:e|err|error|exception|failure)$/.test(word))
    .join(' ');

const toObservation = (
  tool: string,
  codes: readonly string[],
  { finding, suggestion }: Pick<Observation, 'finding' | 'suggestion'>,
): Observation => ({
  tool,
  finding,
  suggestion,
  counts: { codes: codes.length },
  names: { codes },
  calls: { tool },
});
