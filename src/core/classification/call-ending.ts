// How a call ended, as far as an observer knows it: the input of the classification.

/**
 * What is known of how a call ended, before anybody judged it. Whoever observes fills in what he sees: the wrapper sees
 * more (exception, validation class) than a proxy or a foreign span does, and the judgement takes what is there.
 */
export interface CallEnding {
  readonly method: string;
  /** `closed`: the connection went away first. `expired`: nothing came for too long. */
  readonly kind: 'result' | 'error' | 'cancelled' | 'closed' | 'expired';
  readonly result?: unknown;
  readonly error?: { readonly code: number; readonly message: string; readonly data?: unknown };
  /** What the tool threw, where it could be seen; SDKs turn it into a result with `isError`. */
  readonly exception?: { readonly type: string; readonly code?: string | number; readonly message: string };
  /** The SDK's own validation refused the arguments, or the tool's output. */
  readonly validation?: 'input' | 'output';
  /** Path of the refused argument, where the validator told it. */
  readonly argument?: string;
  /** Reason given with a cancellation. */
  readonly reason?: string;
  /** Whether the catalogue has the tool; undefined when there is no catalogue. */
  readonly isToolKnown?: boolean;
  /** Name the client asked for: tells "Tool X not found" about this tool from one about a thing called X. */
  readonly toolName?: string;
  /** Our guard answered, and the tool did not run. */
  readonly blocked?: boolean;
}
