// Which loops the host is told of, and that its function cannot disturb anything.
import { describe, expect, test, vi } from 'vitest';
import type { ToolCall } from '../../../src/core/model/tool-call.ts';
import type { LoopNotice } from '../../../src/instrumentation/wrapper/loop-notice.ts';
import { createLoopWatcher } from '../../../src/instrumentation/wrapper/loop-watcher.ts';
import { type CallInput, toLoopCalls } from '../../core/loops/calls.ts';

const REPEATED: CallInput = {
  tool: 'find',
  args: { id: 7 },
  text: 'CONFLICT: it is taken',
  error: 'CONFLICT',
};

function toToolCalls(inputs: readonly CallInput[], over: Partial<ToolCall> = {}): ToolCall[] {
  const session = { method: 'tools/call', sessionId: 's1', sessionSource: 'transport', ...over };
  // The watcher reads no other field.
  return toLoopCalls(inputs).map((call) => ({ ...call, ...session }) as ToolCall);
}

const repeat = (count: number, input: CallInput = REPEATED) => Array.from({ length: count }, () => input);

describe('loop watcher', () => {
  test('the host is told of a loop once, when it is suspected, with session, tools, kind and repeats', () => {
    const watcher = createLoopWatcher();
    const told: LoopNotice[] = [];
    for (const call of toToolCalls(repeat(20))) watcher.record(call, (loop) => told.push(loop));
    expect(told).toEqual([
      {
        server: 'notes',
        sessionId: 's1',
        tools: ['find'],
        kind: 'repeat',
        severity: 'suspected',
        repeats: expect.any(Number),
        wastedCalls: expect.any(Number),
        sentence: expect.stringContaining('find'),
      },
    ]);
    expect(told[0]?.repeats).toBeLessThan(20);
  });

  const searches = ['rent', 'heating', 'garden', 'keys', 'insurance', 'parking'];
  test.each([
    ['the session is unknown', toToolCalls(repeat(20), { sessionSource: 'none', sessionId: '' })],
    ['they are no calls of a tool', toToolCalls(repeat(20), { method: 'tools/list' })],
    [
      'each answer is another one',
      toToolCalls(
        searches.map((query) => ({ args: { query }, text: `The contract on ${query} ends in May.` })),
      ),
    ],
  ])('the host is not told because %s', (_because, calls) => {
    const watcher = createLoopWatcher();
    const onLoop = vi.fn();
    for (const call of calls) watcher.record(call, onLoop);
    expect(onLoop).not.toHaveBeenCalled();
  });

  test('what the host throws, at once or later, reaches nobody', async () => {
    const watcher = createLoopWatcher();
    const unhandled = vi.fn();
    process.once('unhandledRejection', unhandled);
    const calls = toToolCalls(repeat(20));
    const broken = () => {
      throw new Error('of the host');
    };
    for (const call of calls) watcher.record(call, broken);
    for (const call of calls)
      watcher.record({ ...call, sessionId: 's2' }, () => Promise.reject(new Error('of the host')));
    await new Promise((resolve) => setImmediate(resolve));
    process.removeListener('unhandledRejection', unhandled);
    expect(unhandled).not.toHaveBeenCalled();
  });

  test('sessions beyond the limit are forgotten, the least recently used first', () => {
    const watcher = createLoopWatcher(1);
    const onLoop = vi.fn();
    const [a, b] = [toToolCalls(repeat(20)), toToolCalls(repeat(20), { sessionId: 's2' })];
    a.forEach((call, at) => {
      watcher.record(call, onLoop);
      const other = b[at];
      if (other) watcher.record(other, onLoop);
    });
    expect(onLoop).not.toHaveBeenCalled();
  });
});
