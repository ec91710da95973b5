// Parses the guard flags of `toolscope wrap`. Every value is validated, because a misspelt guard would
// protect nothing.

import { GUARD_LOOPS, GUARD_MODES, type GuardOptions } from '../../core/guard/guard-policy.ts';
import { UserError } from '../../errors.ts';

export const GUARD_FLAGS = {
  guard: { type: 'string' },
  'guard-calls-per-tool-per-hour': { type: 'string' },
  'guard-loops': { type: 'string' },
  'guard-except': { type: 'string' },
} as const;

type GuardValues = Readonly<Partial<Record<keyof typeof GUARD_FLAGS, string | undefined>>>;

/**
 * Parses the flags; undefined when they enable no guard.
 * @throws UserError when a flag is invalid, or is used without `--guard`
 */
export function parseGuard(values: GuardValues): GuardOptions | undefined {
  const mode = parseOneOf('guard', values.guard, GUARD_MODES);
  const loops = parseOneOf('guard-loops', values['guard-loops'], GUARD_LOOPS);
  const limit = values['guard-calls-per-tool-per-hour'];
  const except = values['guard-except'];
  if (mode === undefined) {
    if (loops === undefined && limit === undefined && except === undefined) return undefined;
    throw new UserError('INVALID_PARAMETER', 'a budget, loops or exceptions were given, but no guard', {
      field: 'guard',
      hint: `--guard ${GUARD_MODES.join(' or --guard ')}`,
    });
  }
  return {
    mode,
    ...(loops && { loops }),
    ...(except !== undefined && { exceptTools: parseToolNames(except) }),
    ...(limit !== undefined && { budget: { callsPerToolPerHour: parseLimit(limit) } }),
  };
}

/**
 * Parses a flag with a fixed set of values.
 * @throws UserError for any other value
 */
export function parseOneOf<Word extends string>(
  flag: string,
  given: string | undefined,
  allowed: readonly Word[],
): Word | undefined {
  const word = allowed.find((one) => one === given);
  if (given === undefined || word !== undefined) return word;
  throw new UserError('INVALID_PARAMETER', `--${flag} is "${given}"; allowed are ${allowed.join(', ')}`, {
    field: flag,
  });
}

function parseToolNames(given: string): readonly string[] {
  const names = given.split(',').map((name) => name.trim());
  if (names.every((name) => name !== '')) return names;
  throw new UserError(
    'INVALID_PARAMETER',
    `--guard-except is "${given}"; allowed are names of tools with commas between`,
    { field: 'guard-except' },
  );
}

function parseLimit(given: string): number {
  if (/^\d{1,9}$/.test(given)) return Number(given);
  throw new UserError(
    'INVALID_PARAMETER',
    `--guard-calls-per-tool-per-hour is "${given}"; allowed is a whole number of calls`,
    { field: 'guard-calls-per-tool-per-hour' },
  );
}
