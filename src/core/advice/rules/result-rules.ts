// Rules about results: unbounded (TD015), partial failures (TD022), failures reported as success (TD023), JSON in text
// (TD024), violations of the output schema (TD025).

import { declaredArguments } from '../declared-arguments.ts';
import type { Observation } from '../finding.ts';
import { formatShareOf } from '../format-counts.ts';
import { nameWords, wordSet } from '../name-words.ts';
import type { TrafficRule } from '../rule.ts';
import { LARGE_RESULT_TOKENS, MIN_CALLS, MIN_FAILURES } from '../tool-errors.ts';

/** Words of tools whose answer is about failures: those of a test run are its result. */
const REPORT_WORDS = wordSet(
  'test tests check validate verify lint audit scan status report summary stats statistics metrics health job jobs run runs build builds pipeline history monitor inspect diagnose log logs doctor errors failures',
);

export const partialFailure: TrafficRule = {
  id: 'TD022',
  level: 'warning',
  title: 'Partial failure reported as success',
  condition: `At least ${MIN_FAILURES} successful results say in structured content or JSON text that some of their items failed (\`failed: 2\`, \`errors: [...]\`); not of a tool whose answer is a report on failures, such as a test run.`,
  disprovedBy: 'Agents handle the failed items afterwards.',
  check: ({ evidence: { tool, results } }): Observation[] => {
    const { partialFailures, measured } = results;
    if (partialFailures < MIN_FAILURES || nameWords(tool).some((word) => REPORT_WORDS.has(word))) return [];
    return [
      {
        tool,
        finding: `${formatShareOf(partialFailures, measured, 'result')} of "${tool}" are successes of which some items failed.`,
        counts: { results: measured, partialFailures },
        calls: { tool },
        suggestion:
          'State first how many failed and which, in separate fields (`succeeded`, `failed`), with a code for each; set `isError` when none succeeded.',
        callsLost: partialFailures,
      },
    ];
  },
};

export const failureReportedAsSuccess: TrafficRule = {
  id: 'TD023',
  level: 'warning',
  title: 'Failure reported as success',
  condition: `At least ${MIN_FAILURES} results say in text or structure that the call failed, without \`isError\`.`,
  disprovedBy: 'These results are about errors, such as a log, and are not failures themselves.',
  check: ({ evidence: { tool, calls, results } }): Observation[] => {
    const { errorInResult } = results;
    if (errorInResult < MIN_FAILURES) return [];
    return [
      {
        tool,
        finding: `${formatShareOf(errorInResult, calls)} of "${tool}" answer with an error and without \`isError\`.`,
        counts: { calls, errorInResult },
        calls: { tool },
        suggestion: 'Set `isError: true` on those results, and give them a code.',
        callsLost: errorInResult,
      },
    ];
  },
};

const MIN_SHARE_JSON = 0.8;

export const unstructuredResult: TrafficRule = {
  id: 'TD024',
  level: 'note',
  title: 'JSON in text',
  condition: `At least ${100 * MIN_SHARE_JSON} % of ${MIN_CALLS} or more results are JSON in a text, none is structured, and there is no output schema.`,
  disprovedBy: 'Every client in use ignores structured content.',
  check: ({ evidence: { tool, results }, definition }): Observation[] => {
    const { measured, structured, jsonText } = results;
    if (definition === undefined || definition.outputSchema !== undefined) return [];
    if (measured < MIN_CALLS || structured > 0 || jsonText < MIN_SHARE_JSON * measured) return [];
    return [
      {
        tool,
        finding: `${formatShareOf(jsonText, measured, 'result')} of "${tool}" are JSON in a text block.`,
        counts: { results: measured, jsonText },
        calls: { tool },
        suggestion:
          'Declare an output schema and answer with `structuredContent` (and the same text for older clients).',
        edits: [{ tool, pointer: '/outputSchema', after: { type: 'object', properties: { '<field>': {} } } }],
      },
    ];
  },
};

export const outputSchemaViolation: TrafficRule = {
  id: 'TD025',
  level: 'error',
  title: 'Output schema violated',
  condition: 'A result did not fit the output schema the tool declares.',
  disprovedBy: 'The schema that was listed when the calls were made was another.',
  check: ({ evidence: { tool, calls, results, failures } }): Observation[] => {
    const { violations } = results;
    if (violations === 0) return [];
    const paths = failures.filter(({ outcome, argument }) => outcome === 'invalid_output' && argument !== '');
    return [
      {
        tool,
        finding: `${formatShareOf(violations, calls)} of "${tool}" answered with what its output schema does not allow.`,
        counts: { calls, violations },
        names: { fields: [...new Set(paths.map(({ argument }) => argument))] },
        calls: { tool, outcome: 'invalid_output' },
        suggestion: 'Correct the result or the schema; a field that may be absent must not be `required`.',
        callsLost: violations,
      },
    ];
  },
};

const LIMIT_WORDS = wordSet(
  'limit max maximum count size page cursor offset head tail top first last number lines depth fields range length tokens rows truncate verbose summary detail',
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
        counts: { results: measured, p95Tokens, largestTokens },
        calls: { tool },
        suggestion:
          'Accept a `limit` and a `cursor`, with a small default, and state in the result how to get the rest.',
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
              description: 'End of the previous page; omit it for the first page.',
            },
          },
        ],
      },
    ];
  },
};
