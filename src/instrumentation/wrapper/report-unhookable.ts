// What `observe` says about an object that is no server of an MCP SDK, e.g. that of a framework, which creates its servers itself.

import { toPrintableLine } from '../../core/values/printable-text.ts';
import type { LowLevelServer } from './sdk-shapes.ts';

/** Set by `toolscope/auto`, which observes the servers of frameworks. */
const AUTO = Symbol.for('toolscope.auto');

/** Whether a server has the methods of an SDK's `Server`. */
export function isHookable(server: Partial<LowLevelServer>): boolean {
  return typeof server.connect === 'function' && typeof server.setRequestHandler === 'function';
}

/**
 * Creates a function that says once on stderr that an object is not observed, and what to do instead.
 * @param write writes a line to stderr
 */
export function createUnhookableReporter(write: (line: string) => void): (server: object) => void {
  let isReported = false;
  return function reportUnhookable(server) {
    if (isReported || Reflect.has(globalThis, AUTO)) return;
    isReported = true;
    const name = toPrintableLine(server.constructor?.name || 'object');
    write(
      `toolscope: observe() was given a ${name}, which is no server of an MCP SDK, so its calls are not observed. ` +
        'For a framework, start the program with `node --import @toolscope/observe/auto`, ' +
        'or over stdio with `toolscope wrap -- node …`.\n',
    );
  };
}
