// How servers of several makes refuse arguments that are not there, and how they deny.
import type { SeededRandom } from './seeded-random.ts';

export interface MissingArgument {
  readonly tool: string;
  readonly argument: string;
}

/** The same refusal in the words of zod, ajv, pydantic, Go and people. */
export const MISSING_ARGUMENT_FORMS: readonly ((missing: MissingArgument) => string)[] = [
  ({ tool, argument }) =>
    `MCP error -32602: Input validation error: Invalid arguments for tool ${tool}: ${JSON.stringify(
      [
        {
          code: 'invalid_type',
          expected: 'string',
          received: 'undefined',
          path: [argument],
          message: 'Required',
        },
      ],
      undefined,
      2,
    )}`,
  ({ argument }) => `data must have required property '${argument}'`,
  ({ tool, argument }) =>
    `1 validation error for ${tool}Arguments\n${argument}\n  Field required [type=missing, input_value={}, input_type=dict]\n    For further information visit https://errors.pydantic.dev/2.11/v/missing`,
  ({ argument }) => `missing required parameter: ${argument}`,
  ({ argument }) => `json: cannot unmarshal: validating root: required: missing properties: ["${argument}"]`,
  ({ argument }) => `Error: the argument "${argument}" is missing.`,
];

const DENIALS = [
  'Permission denied: this token has read access only',
  '{"error":{"code":"forbidden","message":"Write access is disabled for this workspace"}}',
  'Error: 403 Forbidden. Ask an administrator to enable this integration.',
  'The user rejected this action.',
  'Not authenticated. Call login first.',
];

const OUTAGES = [
  'connect ECONNREFUSED 127.0.0.1:5432',
  'Error: 502 Bad Gateway',
  'Browser is not running: Target closed',
  'fetch failed: getaddrinfo ENOTFOUND api.example.org',
  'Database is locked',
];

/** One way to be denied. */
export function sampleDenial(dice: SeededRandom): string {
  return dice.pick(DENIALS);
}

/** One way in which everything fails. */
export function sampleOutage(dice: SeededRandom): string {
  return dice.pick(OUTAGES);
}
