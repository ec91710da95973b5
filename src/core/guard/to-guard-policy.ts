// Converts a host's options to a policy. Invalid values are ignored: a misconfigured guard must neither block
// nor nudge.

import { parseThresholds } from '../loops/parse-thresholds.ts';
import { BUDGET_PRESETS, GUARD_MODES, type GuardOptions, type GuardPolicy } from './guard-policy.ts';
import { createHintLookup, parseRecoveryHints } from './recovery-hints.ts';

/** Parses unvalidated options; undefined if they enable no guard. */
export function toGuardPolicy(options: GuardOptions | undefined): GuardPolicy | undefined {
  const mode = GUARD_MODES.find((known) => known === options?.mode);
  if (options === undefined || mode === undefined) return undefined;
  const { status, problem, ...loops } = toLoopSettings(options);
  const hints = options.recoveryHints === undefined ? undefined : parseRecoveryHints(options.recoveryHints);
  const hintProblem =
    hints?.status === 'refused' ? `guard.recoveryHints ${hints.problem}, so the guard gives none` : '';
  return {
    mode,
    limitOf: toLimitLookup(options),
    loops: status === 'read' && options.loops !== 'off',
    ...loops,
    quotaMeta: options.quotaMeta === true,
    quotaText: options.quotaText === true,
    replaysAnswers: options.idempotency === 'replay',
    recoveryHints: hints?.status === 'read' ? createHintLookup(hints.hints) : undefined,
    problem: [problem, hintProblem].filter((one) => one !== '').join('; '),
  };
}

function toLimitLookup({ budget }: GuardOptions): GuardPolicy['limitOf'] {
  const preset = budget?.preset === 'typical' ? BUDGET_PRESETS.typical : undefined;
  const general = toLimit(budget?.callsPerToolPerHour ?? preset?.callsPerToolPerHour);
  const own = new Map(toOwnLimits(budget?.expensiveTools).map(([tool, limit]) => [tool, toLimit(limit)]));
  return (toolName) => own.get(toolName) ?? general;
}

type Budget = NonNullable<GuardOptions['budget']>;

function toOwnLimits(expensiveTools: Budget['expensiveTools']): (readonly [string, number])[] {
  if (!isListOfNames(expensiveTools)) return Object.entries(expensiveTools ?? {});
  return expensiveTools.map((tool) => [tool, BUDGET_PRESETS.typical.expensiveCallsPerHour]);
}

function toLimit(calls: number | undefined): number {
  return typeof calls === 'number' && calls >= 0 ? Math.floor(calls) : Number.POSITIVE_INFINITY;
}

interface LoopSettings extends Pick<GuardPolicy, 'isExcepted' | 'thresholds' | 'problem'> {
  readonly status: 'read' | 'refused';
}

/** Invalid exceptions or thresholds might have allowed a call, so they disable loop detection. */
function toLoopSettings({ exceptTools, thresholds }: GuardOptions): LoopSettings {
  const names: unknown = exceptTools ?? [];
  if (!isListOfNames(names)) return rejectLoopSettings('guard.exceptTools is no list of tool names');
  const parsed = thresholds === undefined ? undefined : parseThresholds(thresholds);
  if (parsed?.status === 'refused') {
    const { path, problem } = parsed;
    return rejectLoopSettings(`guard.thresholds${path === '' ? '' : `.${path}`} ${problem}`);
  }
  const excepted = new Set(names);
  return {
    status: 'read',
    isExcepted: (toolName) => excepted.has(toolName),
    thresholds: parsed?.table,
    problem: '',
  };
}

function isListOfNames(value: unknown): value is readonly string[] {
  return Array.isArray(value) && value.every((name) => typeof name === 'string');
}

function rejectLoopSettings(problem: string): LoopSettings {
  return {
    status: 'refused',
    isExcepted: () => true,
    thresholds: undefined,
    problem: `${problem}, so the guard judges no loops`,
  };
}
