import { describe, expect, test } from 'vitest';
import type { ObservedCall } from '../../../src/core/observer/observed-call.ts';
import { createObserver } from '../../../src/core/observer/observer.ts';
import { redactCall } from '../../../src/core/observer/redact-call.ts';
import { releaseValues } from '../../../src/core/observer/release-values.ts';
import { createFingerprinter } from '../../../src/core/values/fingerprint.ts';

const fingerprinter = createFingerprinter(new Uint8Array(32).fill(1));
const SHAPE = { capture: 'shape', fingerprinter } as const;
const SMALL = { path: '/a' };

function observe(given: unknown, result: unknown): ObservedCall {
  const ended: ObservedCall[] = [];
  const observer = createObserver({ onEnded: (call) => ended.push(call) });
  const connection = observer.connect({
    identify: () => ({ traceId: '1'.repeat(32), spanId: '2'.repeat(16), parentSpanId: '' }),
    transport: 'stdio',
    connectionId: 'c',
    environment: '',
    server: { name: 's', version: '1' },
  });
  const at = { wallUs: 1_000_000, monotonicMs: 0 };
  const params = { name: 'read', arguments: given };
  connection.received({ jsonrpc: '2.0', id: 1, method: 'tools/call', params }, at);
  connection.sent({ jsonrpc: '2.0', id: 1, result }, { ...at, monotonicMs: 5 });
  const [call] = ended;
  if (call === undefined) throw new Error('The call did not end.');
  return call;
}

const page = (length: number) => ({ content: [{ type: 'text', text: 'x'.repeat(length) }] });

/** What is delivered of a call with its values, and of the same call without. */
function redactBoth(given: unknown, result: unknown) {
  const light = observe(given, result);
  releaseValues(light);
  releaseValues(light);
  return {
    whole: redactCall(observe(given, result), SHAPE).call,
    call: redactCall(light, SHAPE).call,
    light,
  };
}

describe('call with released values', () => {
  test('a call with released values is counted as before, and its result is marked too large with its approximate size', () => {
    const { whole, call } = redactBoth(SMALL, page(200_000));
    expect(call).toEqual({
      ...whole,
      resultFingerprint: '',
      resultMaskedFingerprint: '',
      resultSimilarity: '',
      resultTrait: '',
      resultLines: 0,
      resultShape: '"large"',
      resultBytes: call.resultBytes,
      attributes: { 'toolscope.values.not_described': 'result' },
    });
    expect(Math.abs(call.resultBytes / whole.resultBytes - 1)).toBeLessThan(0.1);
  });

  test.each<[string, unknown]>([
    [
      'a failure',
      { isError: true, content: [{ type: 'text', text: `ENOENT: no such file ${'y'.repeat(50_000)}` }] },
    ],
    [
      'a success that says it failed',
      { content: [], structuredContent: { success: false, rows: Array(9_000) } },
    ],
    ['a task', { task: { taskId: 't' }, content: [] }],
  ])('a call with released values still ends as %s', (_how, result) => {
    const { whole, call } = redactBoth(SMALL, result);
    const endingOf = ({
      outcome,
      fault,
      errorCode,
      errorMessage,
      errorFingerprint,
      errorInResult,
    }: typeof call) => [...[outcome, fault, errorCode, errorMessage, errorFingerprint, errorInResult]];
    expect(endingOf(call)).toEqual(endingOf(whole));
  });

  test('arguments are released only if they are large too', () => {
    const { whole, call, light } = redactBoth({ text: 'z'.repeat(100_000) }, page(10));
    expect([call.toolName, call.argumentsFingerprint, call.argumentsShape]).toEqual(['read', '', '"large"']);
    expect(Math.abs(call.argumentsBytes / whole.argumentsBytes - 1)).toBeLessThan(0.1);
    expect(call.attributes).toEqual({ 'toolscope.values.not_described': 'all' });
    expect(JSON.stringify(light).length).toBeLessThan(3_000);
    expect(redactBoth(SMALL, page(200_000)).call.argumentsFingerprint).not.toBe('');
  });
});
