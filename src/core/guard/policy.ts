// What a host asks of the guard, made into numbers that can be decided by. A value that makes no sense asks for nothing:
// a guard that cannot be understood must not stop anybody.

export const GUARD_MODES = ['observe', 'enforce'] as const;

/** `observe` only records what `enforce` would have answered. */
export type GuardMode = (typeof GUARD_MODES)[number];

export const GUARD_LOOPS = ['off', 'confirmed'] as const;

export interface GuardOptions {
  readonly mode: GuardMode;
  /** How often tools may run in one session within any hour; no limit unless said. */
  readonly budget?: {
    /** For each tool, unless `expensiveTools` names it. */
    readonly callsPerToolPerHour?: number;
    /** Tools with a limit of their own, by name: calls per hour. */
    readonly expensiveTools?: Readonly<Record<string, number>>;
  };
  /** Whether a call that goes on with a confirmed loop is stopped; `confirmed` unless said. */
  readonly loops?: (typeof GUARD_LOOPS)[number];
  /** In `enforce`: says in each result's `_meta.quotaRemaining` how often the tool may still be called within the hour. */
  readonly quotaMeta?: boolean;
}

export interface GuardPolicy {
  readonly mode: GuardMode;
  /** Runs within an hour of a tool in a session; Infinity without a limit. */
  readonly limitOf: (toolName: string) => number;
  readonly loops: boolean;
  readonly quotaMeta: boolean;
}

/** Reads options that nobody has checked; undefined where they ask for no guard. */
export function toGuardPolicy(options: GuardOptions | undefined): GuardPolicy | undefined {
  const mode = GUARD_MODES.find((known) => known === options?.mode);
  if (options === undefined || mode === undefined) return undefined;
  const general = toLimit(options.budget?.callsPerToolPerHour);
  const own = new Map(
    Object.entries(options.budget?.expensiveTools ?? {}).map(([tool, limit]) => [tool, toLimit(limit)]),
  );
  return {
    mode,
    limitOf: (toolName) => own.get(toolName) ?? general,
    loops: options.loops !== 'off',
    quotaMeta: options.quotaMeta === true,
  };
}

function toLimit(calls: number | undefined): number {
  return typeof calls === 'number' && calls >= 0 ? Math.floor(calls) : Number.POSITIVE_INFINITY;
}
