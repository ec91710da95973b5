// What detection reads from the store and writes to it. Every function rejects when the store fails; detection
// then retries.

import { readOpenLoops, readSessionLoops, writeLoops } from '../store/loop-rows.ts';
import {
  countSessionCalls,
  readNewCalls,
  readRecentCalls,
  readSessionCalls,
} from '../store/session-calls.ts';
import type { Store } from '../store/store.ts';
import { readOpenStorms, readStormSessions, writeStorms } from '../store/storm-rows.ts';
import { readToolAnnotations } from '../store/tool-annotations.ts';

export type DetectionStore = ReturnType<typeof createDetectionStore>;

export function createDetectionStore(store: Store) {
  function bind<Args extends unknown[], Result>(access: (store: Store, ...args: Args) => Result) {
    return (...args: Args): Result => access(store, ...args);
  }
  return {
    readNewCalls: bind(readNewCalls),
    readRecentCalls: bind(readRecentCalls),
    readSessionCalls: bind(readSessionCalls),
    countSessionCalls: bind(countSessionCalls),
    readToolAnnotations: bind(readToolAnnotations),
    readSessionLoops: bind(readSessionLoops),
    readOpenLoops: bind(readOpenLoops),
    writeLoops: bind(writeLoops),
    readOpenStorms: bind(readOpenStorms),
    readStormSessions: bind(readStormSessions),
    writeStorms: bind(writeStorms),
  };
}
