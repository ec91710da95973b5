// Parses the guard flags of `toolscope wrap`. Every value is validated, because a misspelt guard would
// protect nothing.

import { readFileSync } from 'node:fs';
import {
  BUDGET_PRESET_NAMES,
  BUDGET_PRESETS,
  GUARD_IDEMPOTENCY,
  GUARD_LOOPS,
  GUARD_MODES,
  type GuardOptions,
} from '../../core/guard/guard-policy.ts';
import { parseRecoveryHints, type RecoveryHints } from '../../core/guard/recovery-hints.ts';
import { UserError } from '../../errors.ts';
import { createOptionError, parseChoice, parseCount } from '../parse-options.ts';

export const GUARD_FLAGS = {
  guard: { type: 'string' },
  'guard-preset': { type: 'string' },
  'guard-calls-per-tool-per-hour': { type: 'string' },
  'guard-expensive-tools': { type: 'string' },
  'guard-quota-text': { type: 'boolean' },
  'guard-loops': { type: 'string' },
  'guard-except': { type: 'string' },
  'guard-recovery-hints': { type: 'string' },
  'guard-idempotency': { type: 'string' },
} as const;

type GuardValues = Readonly<
  Partial<Record<Exclude<keyof typeof GUARD_FLAGS, 'guard-quota-text'>, string | undefined>>
> & { readonly 'guard-quota-text'?: boolean | undefined };

/** @throws UserError when a flag is invalid, or is used without `--guard` */
export function parseGuard(values: GuardValues): GuardOptions | undefined {
  const mode = parseChoice('guard', values.guard, GUARD_MODES);
  const loops = parseChoice('guard-loops', values['guard-loops'], GUARD_LOOPS);
  const idempotency = parseChoice('guard-idempotency', values['guard-idempotency'], GUARD_IDEMPOTENCY);
  const budget = parseBudget(values);
  const except = values['guard-except'];
  const quotaText = values['guard-quota-text'];
  const hintsFile = values['guard-recovery-hints'];
  if (mode !== undefined) {
    return {
      mode,
      ...(loops && { loops }),
      ...(except !== undefined && { exceptTools: parseToolNames(except) }),
      ...(idempotency && { idempotency }),
      ...(budget && { budget }),
      ...(quotaText && { quotaText }),
      ...(hintsFile !== undefined && { recoveryHints: readRecoveryHints(hintsFile) }),
    };
  }
  if ([loops, idempotency, budget, except, quotaText, hintsFile].every((value) => value === undefined))
    return undefined;
  throw new UserError('INVALID_PARAMETER', 'Options of the guard have no effect without --guard.', {
    field: 'guard',
    hint: `--guard ${GUARD_MODES.join(' or --guard ')}`,
  });
}

function parseBudget(values: GuardValues): GuardOptions['budget'] {
  const preset = parseChoice('guard-preset', values['guard-preset'], BUDGET_PRESET_NAMES);
  const limit = parseCount('guard-calls-per-tool-per-hour', values['guard-calls-per-tool-per-hour']);
  const expensive = values['guard-expensive-tools'];
  if (preset === undefined && limit === undefined && expensive === undefined) return undefined;
  return {
    ...(preset && { preset }),
    ...(limit !== undefined && { callsPerToolPerHour: limit }),
    ...(expensive !== undefined && { expensiveTools: parseToolLimits(expensive) }),
  };
}

/** `render_video=3,export`: a tool without a number gets the limit of the preset. */
function parseToolLimits(given: string): Readonly<Record<string, number>> {
  const limits = given.split(',').map((part) => /^\s*([^=]*[^=\s])(?:=(\d{1,9}))?\s*$/.exec(part));
  return Object.fromEntries(
    limits.map((match) => {
      if (match?.[1] === undefined)
        throw createOptionError('guard-expensive-tools', `"${given}"`, 'tools such as render_video=3,export');
      return [match[1], Number(match[2] ?? BUDGET_PRESETS.typical.expensiveCallsPerHour)];
    }),
  );
}

/** @throws UserError when the file cannot be read or is no file of hints */
function readRecoveryHints(file: string): RecoveryHints {
  const parsed = parseRecoveryHints(readJson(file));
  if (parsed.status === 'read') return parsed;
  throw new UserError('INVALID_PARAMETER', `${file} ${parsed.problem}.`, {
    field: 'guard-recovery-hints',
    hint: 'toolscope recovery-hints --server <name> writes such a file.',
  });
}

function readJson(file: string): unknown {
  try {
    return JSON.parse(readFileSync(file, 'utf8'));
  } catch (cause) {
    const problem = cause instanceof SyntaxError ? 'is not JSON' : 'cannot be read';
    throw new UserError('INVALID_PARAMETER', `${file} ${problem}.`, { field: 'guard-recovery-hints', cause });
  }
}

function parseToolNames(given: string): readonly string[] {
  const names = given.split(',').map((name) => name.trim());
  if (names.every((name) => name !== '')) return names;
  throw createOptionError('guard-except', `"${given}"`, 'tool names separated by commas');
}
