// The kinds of changes of level, shared by the detector, the store and the API.

export const CHANGE_POINT_KINDS = ['errors', 'latency', 'calls'] as const;
export type ChangePointKind = (typeof CHANGE_POINT_KINDS)[number];
export const CHANGE_DIRECTIONS = ['rose', 'fell'] as const;
export type ChangeDirection = (typeof CHANGE_DIRECTIONS)[number];
/** `usual`: the level stayed, so that it is the usual one now. */
export const CHANGE_POINT_STATES = ['open', 'ended', 'usual'] as const;
export type ChangePointState = (typeof CHANGE_POINT_STATES)[number];
/** What a change is put down to. */
export const CAUSE_KINDS = ['version', 'definition', 'client', 'dependency', 'argument', 'code'] as const;
export type CauseKind = (typeof CAUSE_KINDS)[number];
