// Turns the tool calls of agents into rows of table `agent_calls`: each once, and no more in a day than the setting allows.

import type { AgentCall } from '../../core/model/agent-call.ts';
import { formatDateTime64 } from '../../core/values/date-time64.ts';
import type { Clock } from '../../segment-log/clock.ts';
import { formatRow } from './format-row.ts';

/** Why a call of an agent was not kept: the day has enough, or it came again. */
export type DroppedAgentCall = 'per_day' | 'duplicate';

export interface AgentCallRecorderOptions {
  readonly clock: Clock;
  /** Calls kept in one day; 0 keeps none. */
  readonly maxPerDay: number;
  /** MUST NOT throw. */
  readonly onDropped: (reason: DroppedAgentCall, calls: number) => void;
}

/** Calls remembered to find repeated ones; twice as many at most, about 8 MB. The table replaces what repeats later. */
const GENERATION_SIZE = 32_768;
const DAY_MS = 86_400_000;
/** UTF-16 units of a name that groups rows. */
const MAX_NAME_LENGTH = 128;

/** A row for the journal. */
export interface AgentCallRow {
  readonly traceId: string;
  readonly spanId: string;
  /** A line of table `agent_calls`. */
  readonly row: string;
}

export class AgentCallRecorder {
  readonly #options: AgentCallRecorderOptions;
  #young = new Set<string>();
  #old = new Set<string>();
  #day = 0;
  #keptToday = 0;

  constructor(options: AgentCallRecorderOptions) {
    this.#options = options;
  }

  /** @returns the rows of the calls that are new and within the limit of the day */
  record(calls: readonly AgentCall[]): readonly AgentCallRow[] {
    return calls.flatMap((call) => {
      const dropped = this.#findReason(call);
      if (dropped) this.#options.onDropped(dropped, 1);
      return dropped ? [] : [{ traceId: call.traceId, spanId: call.spanId, row: toAgentCallRow(call) }];
    });
  }

  #findReason({ traceId, spanId }: AgentCall): DroppedAgentCall | undefined {
    const key = traceId + spanId;
    if (this.#young.has(key) || this.#old.has(key)) return 'duplicate';
    const day = Math.floor(this.#options.clock.now() / DAY_MS);
    if (day !== this.#day) {
      this.#day = day;
      this.#keptToday = 0;
    }
    if (this.#keptToday >= this.#options.maxPerDay) return 'per_day';
    this.#keptToday += 1;
    this.#remember(key);
    return undefined;
  }

  #remember(key: string): void {
    if (this.#young.size >= GENERATION_SIZE) {
      this.#old = this.#young;
      this.#young = new Set();
    }
    this.#young.add(key);
  }
}

function toAgentCallRow(call: AgentCall): string {
  return formatRow({
    started_at: formatDateTime64(call.startedAtUs),
    trace_id: call.traceId,
    span_id: call.spanId,
    parent_span_id: call.parentSpanId,
    emitter: call.emitter,
    agent: call.agent.slice(0, MAX_NAME_LENGTH),
    session_id: call.sessionId,
    tool_name: call.tool.slice(0, MAX_NAME_LENGTH),
    duration_us: Math.round(call.durationUs),
    failed: call.failed ? 1 : 0,
    error_type: call.errorType.slice(0, MAX_NAME_LENGTH),
    error_message: call.errorMessage,
  });
}
