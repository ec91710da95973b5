// Why an agent goes round in circles: who has to change something so that it ends.

/**
 * `agent` ignores what it was answered; `tool` says nothing that would help; `server` fails for everybody;
 * `truncated_arguments` arrived cut off; `missing_permission` is refused however it is asked.
 */
export const LOOP_CAUSES = ['agent', 'tool', 'server', 'truncated_arguments', 'missing_permission'] as const;

export type LoopCause = (typeof LOOP_CAUSES)[number];
