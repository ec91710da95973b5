// Parses the guard flags of `toolscope wrap`. Every value is validated, because a misspelt guard would
// protect nothing.

import { GUARD_LOOPS, GUARD_MODES, type GuardOptions } from '../../core/guard/guard-policy.ts';
import { UserError } from '../../errors.ts';
import { createOptionError, parseChoice, parseCount } from '../parse-options.ts';

export const GUARD_FLAGS = {
  guard: { type: 'string' },
  'guard-calls-per-tool-per-hour': { type: 'string' },
  'guard-loops': { type: 'string' },
  'guard-except': { type: 'string' },
} as const;

type GuardValues = Readonly<Partial<Record<keyof typeof GUARD_FLAGS, string | undefined>>>;

/** @throws UserError when a flag is invalid, or is used without `--guard` */
export function parseGuard(values: GuardValues): GuardOptions | undefined {
  const mode = parseChoice('guard', values.guard, GUARD_MODES);
  const loops = parseChoice('guard-loops', values['guard-loops'], GUARD_LOOPS);
  const limit = parseCount('guard-calls-per-tool-per-hour', values['guard-calls-per-tool-per-hour']);
  const except = values['guard-except'];
  if (mode !== undefined) {
    return {
      mode,
      ...(loops && { loops }),
      ...(except !== undefined && { exceptTools: parseToolNames(except) }),
      ...(limit !== undefined && { budget: { callsPerToolPerHour: limit } }),
    };
  }
  if (loops === undefined && limit === undefined && except === undefined) return undefined;
  throw new UserError('INVALID_PARAMETER', 'Options of the guard have no effect without --guard.', {
    field: 'guard',
    hint: `--guard ${GUARD_MODES.join(' or --guard ')}`,
  });
}

function parseToolNames(given: string): readonly string[] {
  const names = given.split(',').map((name) => name.trim());
  if (names.every((name) => name !== '')) return names;
  throw createOptionError('guard-except', `"${given}"`, 'tool names separated by commas');
}
