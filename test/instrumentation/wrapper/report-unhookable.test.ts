// What `observe` says of an object that it cannot hook.
import { describe, expect, test } from 'vitest';
import {
  createUnhookableReporter,
  isHookable,
} from '../../../src/instrumentation/wrapper/report-unhookable.ts';

class FastMCP {}

describe('observe of an object that is no server of an SDK', () => {
  test('the first one is reported, with the line that works', () => {
    const lines: string[] = [];
    const report = createUnhookableReporter((line) => lines.push(line));
    report(new FastMCP());
    report(new FastMCP());
    expect(lines).toEqual([
      'toolscope: observe() was given a FastMCP, which is no server of an MCP SDK, so its calls are not observed. ' +
        'For a framework, start the program with `node --import @toolscope/observe/auto`, ' +
        'or over stdio with `toolscope wrap -- node …`.\n',
    ]);
  });

  test('nothing is said where auto observes the servers of the framework', () => {
    const key = Symbol.for('toolscope.auto');
    Reflect.set(globalThis, key, () => {});
    const lines: string[] = [];
    createUnhookableReporter((line) => lines.push(line))(new FastMCP());
    Reflect.deleteProperty(globalThis, key);
    expect(lines).toEqual([]);
  });

  test('a server needs both methods of an SDK to be hooked', () => {
    const connect = async () => {};
    expect(isHookable({ connect, setRequestHandler: () => {} })).toBe(true);
    expect(isHookable({ connect })).toBe(false);
    expect(isHookable({})).toBe(false);
  });
});
