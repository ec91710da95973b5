// What the host is told about a loop of one of its sessions. Its declaration is published.

export interface LoopNotice {
  readonly server: string;
  readonly sessionId: string;
  /** The tools of the loop, in the order in which they were first called. */
  readonly tools: readonly string[];
  /** E.g. `repeat` or `cycle`; docs/loops.md lists them. An open set. */
  readonly kind: string;
  /** `confirmed` also counts as a loop for the guard. */
  readonly severity: 'suspected' | 'confirmed';
  /** Rounds so far, including the first. */
  readonly repeats: number;
  /** Calls that returned nothing new. */
  readonly wastedCalls: number;
  /** Description for people, without values of arguments or results. */
  readonly sentence: string;
}
