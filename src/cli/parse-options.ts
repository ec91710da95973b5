// Reads single option values of a command line.

import { UserError } from '../errors.ts';

type OptionValue = string | true | undefined;

export function readString(value: OptionValue): string | undefined {
  return typeof value === 'string' ? value : undefined;
}

/** @throws UserError that lists the allowed values */
export function parseChoice<Word extends string>(
  flag: string,
  given: OptionValue,
  allowed: readonly Word[],
): Word | undefined {
  const word = allowed.find((one) => one === given);
  if (given === undefined || word !== undefined) return word;
  throw createOptionError(flag, `"${given}"`, allowed.join(', '));
}

/** @throws UserError unless it is a whole number */
export function parseCount(flag: string, given: string | undefined): number | undefined {
  if (given === undefined) return undefined;
  if (/^\d{1,9}$/.test(given)) return Number(given);
  throw createOptionError(flag, `"${given}"`, 'a whole number');
}

export function createOptionError(flag: string, given: string, expected: string): UserError {
  return new UserError('INVALID_PARAMETER', `--${flag} is ${given}. Expected ${expected}.`, { field: flag });
}
