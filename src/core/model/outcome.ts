// How a call ended, and whose fault that is. Decided by what happened, never by a span's status:
// emitters disagree about which JSON-RPC errors are errors on a server span.

/** Every way a call can end, in the order the dashboard lists them. */
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

/** Who has to change something: the agent that called, the server that answered, or nobody. */
export const FAULTS = ['none', 'client', 'server'] as const;

export type Fault = (typeof FAULTS)[number];

/** Outcomes whose duration says nothing about how fast a tool is; every latency figure leaves them out. */
export const OUTCOMES_WITHOUT_LATENCY: readonly Outcome[] = ['cancelled', 'abandoned', 'blocked', 'task'];

/** An `input_required` answer is a round of a call, not a call; the final answer is the one that counts. */
export const OUTCOMES_NOT_COUNTED: readonly Outcome[] = ['input_required'];

/** Whether a text is one of our outcomes. */
export function isOutcome(text: string): text is Outcome {
  return (OUTCOMES as readonly string[]).includes(text);
}
