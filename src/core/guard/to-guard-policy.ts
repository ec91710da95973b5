// A host's options, made into what can be decided by. A value that makes no sense asks for nothing: a guard that cannot be
// understood must not stop anybody, nor speak.

import { parseThresholds } from '../loops/parse-thresholds.ts';
import { GUARD_MODES, type GuardOptions, type GuardPolicy } from './guard-policy.ts';

/** Reads options that nobody has checked; undefined where they ask for no guard. */
export function toGuardPolicy(options: GuardOptions | undefined): GuardPolicy | undefined {
  const mode = GUARD_MODES.find((known) => known === options?.mode);
  if (options === undefined || mode === undefined) return undefined;
  const { status, ...loops } = toLoopSettings(options);
  return {
    mode,
    limitOf: toLimitLookup(options),
    loops: status === 'read' && options.loops !== 'off',
    ...loops,
    quotaMeta: options.quotaMeta === true,
  };
}

function toLimitLookup({ budget }: GuardOptions): GuardPolicy['limitOf'] {
  const general = toLimit(budget?.callsPerToolPerHour);
  const own = new Map(
    Object.entries(budget?.expensiveTools ?? {}).map(([tool, limit]) => [tool, toLimit(limit)]),
  );
  return (toolName) => own.get(toolName) ?? general;
}

function toLimit(calls: number | undefined): number {
  return typeof calls === 'number' && calls >= 0 ? Math.floor(calls) : Number.POSITIVE_INFINITY;
}

interface LoopSettings extends Pick<GuardPolicy, 'isExcepted' | 'thresholds' | 'problem'> {
  readonly status: 'read' | 'refused';
}

/** Exceptions or thresholds that are not understood may be those that would have let a call be: so none is judged. */
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
