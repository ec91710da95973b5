// A session for the memory of results, one call after the other, as the instrumentation would report it.
import { type ArgumentOrigin, parseArgumentOrigins } from '../../../src/core/model/argument-origin.ts';
import { type CallFlow, createResultFlow, type FlowCall } from '../../../src/core/result-flow/result-flow.ts';
import { runToCompletion } from '../../../src/core/values/run-to-completion.ts';

export interface SessionCall {
  readonly tool: string;
  readonly arguments?: unknown;
  /** Structured content of the result, or its text. */
  readonly result?: unknown;
  readonly inputSchema?: unknown;
  readonly outputSchema?: unknown;
  readonly session?: string;
  /** Milliseconds since the session began; one call after the other by default. */
  readonly startedAtMs?: number;
  readonly endedAtMs?: number;
  readonly isFailure?: boolean;
  readonly isWhole?: boolean;
}

/** What leaves the process for each call of a session. */
export function playSession(calls: readonly SessionCall[]): readonly CallFlow[] {
  const flow = createResultFlow(4711);
  return calls.map((call, at) => runToCompletion(flow.recordInSteps(toFlowCall(call, at))));
}

/** Origins of the last call's arguments. */
export function originsOfLast(calls: readonly SessionCall[]): readonly ArgumentOrigin[] {
  return parseArgumentOrigins(playSession(calls).at(-1)?.argumentOrigins ?? '');
}

/** The same as lines: `user_id <- search_users.items[].id`, `user_id nowhere`. */
export function linesOfLast(calls: readonly SessionCall[]): readonly string[] {
  return originsOfLast(calls).map(({ path, kind, source }) =>
    source === undefined
      ? `${path} ${kind}`
      : `${path} <- ${source.tool}.${source.path}${kind === 'part' ? ' (part)' : ''}`,
  );
}

/** Of letters only, so that digits in what leaves are those of a value. */
export function toSpanId(at: number): string {
  const letters = [...at.toString(6)].map((digit) => 'abcdef'[Number(digit)]);
  return letters.join('').padStart(16, 'a');
}

function toFlowCall(call: SessionCall, at: number): FlowCall {
  return {
    session: call.session ?? 'one',
    spanId: toSpanId(at),
    tool: call.tool,
    startedAtMs: call.startedAtMs ?? at * 1000,
    endedAtMs: call.endedAtMs ?? at * 1000 + 10,
    arguments: call.arguments ?? {},
    inputSchema: call.inputSchema,
    result: toResult(call.result),
    outputSchema: call.outputSchema,
    isFailure: call.isFailure ?? false,
    isWhole: call.isWhole ?? true,
  };
}

function toResult(result: unknown): unknown {
  if (typeof result === 'string') return { content: [{ type: 'text', text: result }] };
  return { content: [{ type: 'text', text: JSON.stringify(result ?? {}) }], structuredContent: result ?? {} };
}
