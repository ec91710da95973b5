// An ended call that its session has not learned from yet. Its redaction can be driven by two callers: the
// queue, during a pause, and the session's next call, which cannot wait for one.

import type { CompletedCall } from '../../core/guard/decide-call.ts';
import type { ToolAnnotations } from '../../core/model/catalogue.ts';
import type { RedactedCall } from '../../core/observer/redact-call.ts';
import { neverThrow } from './never-throw.ts';

export interface PendingCall {
  readonly startedAtUs: number;
  /** The redacted call once it is complete; `none` if redaction failed. */
  completedCall(): CompletedCall | 'none' | undefined;
  /** Performs one step; false when none is left. */
  advance(): boolean;
  /** Performs the remaining steps and returns the result. */
  steps(): Generator<undefined, RedactedCall>;
}

export interface PendingCallOptions {
  readonly startedAtUs: number;
  readonly work: Generator<undefined, RedactedCall>;
  /** Returns the identity of the request; called once. */
  readonly identity: () => number;
  /** Returns the tool's own annotations, if a listing contained them. */
  readonly annotationsOf: (toolName: string) => ToolAnnotations | undefined;
}

export function createPendingCall({
  startedAtUs,
  work,
  identity,
  annotationsOf,
}: PendingCallOptions): PendingCall {
  let redacted: RedactedCall | undefined;
  let completedCall: CompletedCall | 'none' | undefined;

  function advance(): boolean {
    if (completedCall !== undefined) return false;
    const isDone = neverThrow(() => {
      const step = work.next();
      if (!step.done) return false;
      redacted = step.value;
      const { call } = step.value;
      const annotations = annotationsOf(call.toolName);
      completedCall = {
        call: annotations === undefined ? call : { ...call, annotations },
        identity: identity(),
      };
      return true;
    }, true);
    // A failed redaction yields nothing to learn from, and the session's next call must not try it again.
    if (isDone) completedCall ??= 'none';
    return !isDone;
  }

  return {
    startedAtUs,
    completedCall: () => completedCall,
    advance,
    *steps() {
      while (advance()) yield;
      if (redacted === undefined) throw new Error('the call could not be worked out');
      return redacted;
    },
  };
}
