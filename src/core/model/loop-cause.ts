// The cause of a loop: what has to change for the loop to end.

/**
 * `agent`: ignores the answers. `tool`: its answers do not help. `server`: fails for all callers.
 * `truncated_arguments`: the arguments arrived cut off. `missing_permission`: the call is refused however it
 * is phrased.
 */
export const LOOP_CAUSES = ['agent', 'tool', 'server', 'truncated_arguments', 'missing_permission'] as const;

export type LoopCause = (typeof LOOP_CAUSES)[number];
