// Sessions as they are made, before they are staged, and as lines of `toolscope detect`.
import type { Outcome } from '../../src/core/model/outcome.ts';

export type Arguments = Readonly<Record<string, unknown>>;

/** What a tool does; annotations follow from it where a server gives any. */
export type ToolRole = 'read' | 'write' | 'wait';

/** What came back. */
export interface SyntheticResult {
  /** A whole MCP result. */
  readonly result: unknown;
  readonly outcome?: Outcome;
  readonly errorCode?: string;
  readonly errorMessage?: string;
  readonly errorInResult?: boolean;
}

/** One call of a stretch: when it comes is said in relation to the call before. */
export interface SyntheticCall extends SyntheticResult {
  readonly tool: string;
  readonly arguments: Arguments;
  readonly role: ToolRole;
  /** Seconds after the answer before; an agent's uneven thinking if not said. */
  readonly after?: number;
  /** Seconds it took; less than two if not said. */
  readonly took?: number;
  /** A person may have written before it. */
  readonly asked?: boolean;
  /** Made in the same message as the call before. */
  readonly beside?: boolean;
}

export type SessionLabel = 'clean' | 'loop';

/** One call as `toolscope detect` reads it. */
export interface LineCall extends SyntheticResult {
  readonly tool: string;
  readonly arguments?: unknown;
  readonly server?: string;
  readonly startedAtMs?: number;
  readonly durationMs?: number;
  readonly turn?: number;
  readonly userMessageBefore?: boolean;
  readonly annotations?: { readonly readOnlyHint?: boolean; readonly idempotentHint?: boolean };
}

export interface LabelledSession {
  readonly sessionId: string;
  readonly label: SessionLabel;
  readonly kind: string;
  /** Why it is what it is called. */
  readonly because: string;
  /** Where the loop begins. */
  readonly onsetIndex?: number;
  readonly calls: readonly LineCall[];
}
