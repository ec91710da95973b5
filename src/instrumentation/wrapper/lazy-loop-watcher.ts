// Loads the loop watcher with the first server that has `onLoop`. Calls that end before it is loaded, which takes some
// milliseconds once per process, wait for it.

import type { ToolCall } from '../../core/model/tool-call.ts';
import type { LoopWatcher, OnLoop } from './loop-watcher.ts';

const MAX_WAITING = 1_000;

export interface LazyLoopWatcher extends LoopWatcher {
  load(): void;
}

export function createLazyLoopWatcher(): LazyLoopWatcher {
  let watcher: LoopWatcher | undefined;
  let waiting: (readonly [ToolCall, OnLoop])[] = [];
  let isLoading = false;

  async function load(): Promise<void> {
    try {
      const { createLoopWatcher } = await import('./loop-watcher.ts');
      watcher = createLoopWatcher();
      for (const [call, onLoop] of waiting) watcher.record(call, onLoop);
    } catch {
      // The host continues without being told.
    }
    waiting = [];
  }

  return {
    load() {
      if (isLoading) return;
      isLoading = true;
      void load();
    },
    record(call, onLoop) {
      if (watcher) watcher.record(call, onLoop);
      else if (waiting.length < MAX_WAITING) waiting.push([call, onLoop]);
    },
  };
}
