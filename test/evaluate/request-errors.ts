// What servers say when something is wrong with a request: one of these after another is work, not a circle.
import type { SeededRandom } from './seeded-random.ts';

export interface RequestError {
  readonly name: string;
  readonly status: number;
  readonly field: string;
  readonly message: string;
}

const requestError = (name: string, status: number, field: string, message: string): RequestError => ({
  name,
  status,
  field,
  message,
});

export const REQUEST_ERRORS: readonly RequestError[] = [
  requestError('ValidationError', 400, 'title', 'The title must have at least three characters'),
  requestError('TypeMismatch', 400, 'quantity', 'quantity was given as text and has to be a whole number'),
  requestError('MissingCurrency', 422, 'currency', 'An amount needs a currency, such as EUR'),
  requestError('PastDate', 422, 'due', 'The due date lies in the past'),
  requestError('UnknownPerson', 404, 'assignee', 'Nobody of that name works on this project'),
  requestError('DuplicateKey', 409, 'key', 'Another entry has this key already'),
  requestError('TooLong', 413, 'body', 'The body is longer than the 4096 bytes that are stored'),
  requestError('Forbidden', 403, 'visibility', 'Only an owner may make this public'),
  requestError('StaleRevision', 412, 'revision', 'Somebody else changed it since you read it'),
  requestError('UnsupportedFormat', 415, 'format', 'Attachments are accepted as PNG or PDF'),
  requestError('BrokenReference', 424, 'parent', 'The parent was deleted last week'),
  requestError('LockedPeriod', 423, 'period', 'The books of that quarter are closed'),
  requestError('EmptySelection', 400, 'filter', 'Your filter selects nothing that could be changed'),
  requestError('BadEncoding', 400, 'encoding', 'Byte 17 is not valid UTF-8'),
  requestError('QuotaReached', 429, 'plan', 'Your plan includes forty of these a month'),
  requestError('MissingSignature', 401, 'signature', 'Sign the request body with your private key first'),
];

/** Several of them, all different. */
export function sampleRequestErrors(dice: SeededRandom, count: number): RequestError[] {
  return dice.some(REQUEST_ERRORS, count);
}

export type ErrorFormat = (fault: RequestError, dice: SeededRandom) => string;

const ISSUES = ['invalid_type', 'too_small', 'invalid_format', 'unrecognized_keys', 'invalid_value'];

/** Four ways to write a fault as JSON. */
export const ERROR_FORMATS: Readonly<Record<'named' | 'object' | 'problem' | 'zod', ErrorFormat>> = {
  named: ({ name, message }) => JSON.stringify({ error: { name, message } }),
  object: ({ name, status, message }, dice) =>
    JSON.stringify({
      object: 'error',
      status,
      code: name.replaceAll(/(?<=[a-z])(?=[A-Z])/g, '_').toLowerCase(),
      message,
      request_id: dice.uuid(),
    }),
  problem: ({ name, status, message }, dice) =>
    JSON.stringify({
      type: `https://errors.example.org/${name}`,
      title: name,
      status,
      detail: message,
      instance: `/requests/${dice.hex(12)}`,
    }),
  zod: ({ field, message }, dice) =>
    `Invalid arguments: ${JSON.stringify([
      { code: dice.pick(ISSUES), path: dice.chance(0.5) ? [field] : ['entry', field], message },
    ])}`,
};
