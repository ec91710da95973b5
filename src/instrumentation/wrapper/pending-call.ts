// A call that ended and that its session has not learned from yet. Its reduction is one piece of work that two may
// drive: the queue, in a pause, and the session's next call, which cannot wait for one.

import type { CompletedCall } from '../../core/guard/decide-call.ts';
import type { ToolAnnotations } from '../../core/model/catalogue.ts';
import type { RedactedCall } from '../../core/observer/redact-call.ts';
import { neverThrow } from './never-throw.ts';

export interface PendingCall {
  readonly startedAtUs: number;
  /** Once the call is worked out; `none` if it could not be. */
  completedCall(): CompletedCall | 'none' | undefined;
  /** Does one step of the work; false when there is none left. */
  advance(): boolean;
  /** Drives the work step by step to what it comes to. */
  steps(): Generator<undefined, RedactedCall>;
}

export interface PendingCallOptions {
  readonly startedAtUs: number;
  /** The reduction of the call. */
  readonly work: Generator<undefined, RedactedCall>;
  /** The identity of its request, asked once. */
  readonly identity: () => number;
  /** The tool's own hints, where its listing was seen. */
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
    // What failed is no lesson, and must not be tried again by the session's next call.
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
