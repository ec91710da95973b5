// Finds loops in the sessions of this process and notifies the host of each once. It reads redacted calls, after they
// were answered, so it adds nothing to the time of a call.

import { createDetector, type Detector } from '../../core/loops/detector.ts';
import type { LoopFinding } from '../../core/loops/finding.ts';
import type { ToolCall } from '../../core/model/tool-call.ts';
import { METHOD_TOOLS_CALL } from '../../core/semconv/conventions.ts';
import { BoundedMap } from '../../core/values/bounded-map.ts';
import type { LoopNotice } from './loop-notice.ts';
import { neverThrow } from './never-throw.ts';

export type OnLoop = (loop: LoopNotice) => unknown;

export interface LoopWatcher {
  /** Takes the next call of its session; never throws. */
  record(call: ToolCall, onLoop: OnLoop): void;
}

/** Sessions kept in one process; the least recently used is evicted. */
const MAX_SESSIONS = 1_000;

interface WatchedSession {
  readonly detector: Detector;
  /** The loop of which the host was told last; they are numbered in order. */
  lastNotified: number;
}

export function createLoopWatcher(maxSessions: number = MAX_SESSIONS): LoopWatcher {
  const sessions = new BoundedMap<string, WatchedSession>(maxSessions);
  return {
    record(call, onLoop) {
      const { serverName, sessionSource, sessionId, method } = call;
      if (method !== METHOD_TOOLS_CALL || sessionSource === 'none' || sessionId === '') return;
      const key = JSON.stringify([serverName, sessionSource, sessionId]);
      const session = sessions.get(key) ?? { detector: createDetector(), lastNotified: 0 };
      sessions.set(key, session);
      for (const finding of neverThrow(() => session.detector.feed(call), [])) {
        const { severity, ordinal, state } = finding;
        if (severity === 'note' || state === 'over' || ordinal <= session.lastNotified) continue;
        session.lastNotified = ordinal;
        notifyHost(onLoop, toNotice(finding, severity, call));
      }
    },
  };
}

function toNotice(
  { kind, repeats, wastedCalls, sentence, calls }: LoopFinding,
  severity: LoopNotice['severity'],
  { serverName, sessionId }: ToolCall,
): LoopNotice {
  const tools = [...new Set(calls.map(({ toolName }) => toolName))];
  return { server: serverName, sessionId, tools, kind, severity, repeats, wastedCalls, sentence };
}

/** What the host's function throws, or a promise it returns rejects with, does not reach the host's own code. */
function notifyHost(onLoop: OnLoop, loop: LoopNotice): void {
  neverThrow(() => {
    const returned = onLoop(loop);
    if (returned instanceof Promise) returned.catch(() => undefined);
  });
}
