// How a call ended, and which side was at fault. The decision uses what happened, never the span's status:
// emitters disagree about which JSON-RPC errors are errors on a server span.

/** All outcomes, in the dashboard's display order. */
export const OUTCOMES = [
  'ok',
  'tool_error',
  'exception',
  'invalid_arguments',
  'invalid_output',
  'unknown_tool',
  'protocol_error',
  'timeout',
  'cancelled',
  'abandoned',
  'input_required',
  'task',
  'blocked',
] as const;

export type Outcome = (typeof OUTCOMES)[number];

/** Which side has to change something: the calling agent, the server, or neither. */
export const FAULTS = ['none', 'client', 'server'] as const;

export type Fault = (typeof FAULTS)[number];

/** Outcomes whose duration says nothing about a tool's speed; latency stats exclude them. */
export const OUTCOMES_WITHOUT_LATENCY: readonly Outcome[] = ['cancelled', 'abandoned', 'blocked', 'task'];

/** An `input_required` answer is one round of a call; only the final answer counts as the call. */
export const OUTCOMES_NOT_COUNTED: readonly Outcome[] = ['input_required'];

/** Whether a text is one of the outcomes. */
export function isOutcome(text: string): text is Outcome {
  return (OUTCOMES as readonly string[]).includes(text);
}
