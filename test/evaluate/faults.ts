// What servers say when something is wrong with a request: one of these after another is work, not a circle.
import type { Dice } from './dice.ts';

export interface Fault {
  readonly name: string;
  readonly status: number;
  readonly field: string;
  readonly message: string;
}

const fault = (name: string, status: number, field: string, message: string): Fault => ({
  name,
  status,
  field,
  message,
});

export const FAULTS: readonly Fault[] = [
  fault('ValidationError', 400, 'title', 'The title must have at least three characters'),
  fault('TypeMismatch', 400, 'quantity', 'quantity was given as text and has to be a whole number'),
  fault('MissingCurrency', 422, 'currency', 'An amount needs a currency, such as EUR'),
  fault('PastDate', 422, 'due', 'The due date lies in the past'),
  fault('UnknownPerson', 404, 'assignee', 'Nobody of that name works on this project'),
  fault('DuplicateKey', 409, 'key', 'Another entry has this key already'),
  fault('TooLong', 413, 'body', 'The body is longer than the 4096 bytes that are stored'),
  fault('Forbidden', 403, 'visibility', 'Only an owner may make this public'),
  fault('StaleRevision', 412, 'revision', 'Somebody else changed it since you read it'),
  fault('UnsupportedFormat', 415, 'format', 'Attachments are accepted as PNG or PDF'),
  fault('BrokenReference', 424, 'parent', 'The parent was deleted last week'),
  fault('LockedPeriod', 423, 'period', 'The books of that quarter are closed'),
  fault('EmptySelection', 400, 'filter', 'Your filter selects nothing that could be changed'),
  fault('BadEncoding', 400, 'encoding', 'Byte 17 is not valid UTF-8'),
  fault('QuotaReached', 429, 'plan', 'Your plan includes forty of these a month'),
  fault('MissingSignature', 401, 'signature', 'Sign the request body with your private key first'),
];

/** Several of them, all different. */
export function someFaults(dice: Dice, count: number): Fault[] {
  return dice.some(FAULTS, count);
}

export type FaultForm = (fault: Fault, dice: Dice) => string;

const ISSUES = ['invalid_type', 'too_small', 'invalid_format', 'unrecognized_keys', 'invalid_value'];

/** Four ways to write a fault as JSON. */
export const FAULT_FORMS: Readonly<Record<'named' | 'object' | 'problem' | 'zod', FaultForm>> = {
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
