// A session as it can be played twice: as a line for `detect`, and as requests and answers of a live server.

export interface RecordedResult {
  readonly content: readonly { readonly type: 'text'; readonly text: string }[];
  readonly isError?: boolean;
  readonly _meta?: Record<string, unknown>;
}

export interface ReplayCall {
  readonly tool: string;
  readonly arguments: Record<string, unknown>;
  readonly answer: RecordedResult;
  /** After the session's start, in milliseconds. */
  readonly startsAtMs: number;
  /** 0 is "was not recorded". */
  readonly lastsMs: number;
  /** Made before the call before it was answered. */
  readonly beside: boolean;
}

export interface ReplaySession {
  readonly id: string;
  /** What it is, for the reader of a difference. */
  readonly about: string;
  /** Whether the agent lists the tools first; then the server's own names of arguments are known. */
  readonly lists: boolean;
  readonly calls: readonly ReplayCall[];
  /** The same session as `detect` reads it, without `sessionId`. */
  readonly line: { readonly calls: readonly object[] };
}

/** Calls made side by side, in groups. */
export function toGroups(calls: readonly ReplayCall[]): readonly (readonly ReplayCall[])[] {
  const groups: ReplayCall[][] = [];
  for (const call of calls) {
    const group = groups.at(-1);
    if (call.beside && group) group.push(call);
    else groups.push([call]);
  }
  return groups;
}
