/** How a call ended, before classification. The wrapper knows more (exception, validation) than a proxy or a foreign span. */
export interface CallEnding {
  readonly method: string;
  /** `closed`: the connection closed first. `expired`: no response came in time. */
  readonly kind: 'result' | 'error' | 'cancelled' | 'closed' | 'expired';
  readonly result?: unknown;
  readonly error?: { readonly code: number; readonly message: string; readonly data?: unknown };
  /** The error thrown by the tool, if visible; SDKs convert it to a result with `isError`. */
  readonly exception?: { readonly type: string; readonly code?: string | number; readonly message: string };
  /** The SDK's own validation refused the arguments, or the tool's output. */
  readonly validation?: 'input' | 'output';
  /** Path of the rejected argument, if the validator named it. */
  readonly argument?: string;
  /** Reason given with a cancellation. */
  readonly reason?: string;
  /** Whether the catalogue has the tool; undefined if there is no catalogue. */
  readonly isToolKnown?: boolean;
  /** Requested name: distinguishes "Tool X not found" about this tool from other messages. */
  readonly toolName?: string;
  /** Code of the guard's refusal: it answered, and the tool did not run. */
  readonly blocked?: string;
}
