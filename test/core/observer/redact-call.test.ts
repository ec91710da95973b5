import { beforeEach, describe, expect, test } from 'vitest';
import type { ObservedCall, SpanIds } from '../../../src/core/observer/observed-call.ts';
import type { ConnectionFacts } from '../../../src/core/observer/observed-connection.ts';
import { createObserver } from '../../../src/core/observer/observer.ts';
import { redactCall } from '../../../src/core/observer/redact-call.ts';
import { createFingerprinter } from '../../../src/core/values/fingerprint.ts';
import type { RedactionOptions } from '../../../src/core/values/redaction-options.ts';

const SHAPE: RedactionOptions = {
  capture: 'shape',
  fingerprinter: createFingerprinter(Buffer.from('k'.repeat(32))),
};

let ended: ObservedCall<SpanIds>[] = [];

beforeEach(() => {
  ended = [];
});

const at = (ms: number) => ({ wallUs: 1_700_000_000_000_000 + ms * 1_000, monotonicMs: ms });

function connect(facts: Partial<ConnectionFacts<SpanIds>> = {}) {
  const observer = createObserver<SpanIds>({ onEnded: (call) => ended.push(call) });
  return observer.connect({
    identify: () => ({ traceId: 'a'.repeat(32), spanId: 'b'.repeat(16), parentSpanId: '' }),
    transport: 'http',
    connectionId: '',
    environment: 'prod',
    server: { name: 'notes', version: '1' },
    ...facts,
  });
}

/** One exchange on one connection, reduced. */
function exchange(method: string, params: unknown, answer: object, reduction = SHAPE) {
  const connection = connect();
  connection.received({ jsonrpc: '2.0', id: 7, method, params }, at(0));
  connection.sent({ jsonrpc: '2.0', id: 7, ...answer }, at(1.5));
  const [observed] = ended;
  if (observed === undefined) throw new Error('no call');
  return redactCall(observed, reduction);
}

const OK = { result: { content: [{ type: 'text', text: 'a secret' }] } };

describe('redacted call', () => {
  test('a redacted call has every field of a call and no values', () => {
    const { call, payload } = exchange('tools/call', { name: 'find', arguments: { query: 'a secret' } }, OK);
    expect(call).toMatchObject({
      serverName: 'notes',
      environment: 'prod',
      method: 'tools/call',
      toolName: 'find',
      requestId: '7',
      startedAtUs: 1_700_000_000_000_000,
      durationUs: 1_500,
      outcome: 'ok',
      fault: 'none',
      sessionSource: 'none',
      sessionConfidence: 'none',
      fingerprintKeyId: SHAPE.fingerprinter.keyId,
      argumentsFingerprint: expect.stringMatching(/^[0-9a-f]{16}$/),
      resultFingerprint: expect.stringMatching(/^[0-9a-f]{16}$/),
    });
    expect(payload).toBeUndefined();
    expect(JSON.stringify(call)).not.toContain('secret');
  });

  test('a call redacted in mode full keeps its values beside the call', () => {
    const { call, payload } = exchange('tools/call', { name: 'find', arguments: { query: 'x' } }, OK, {
      ...SHAPE,
      capture: 'full',
    });
    expect(payload).toMatchObject({ arguments: '{"query":"x"}', truncated: false });
    expect(JSON.stringify(call)).not.toContain('a secret');
  });

  test('the session confidence follows from the session source', () => {
    const meta = { conversationId: 'c' };
    const { call } = exchange('tools/call', { name: 'find', _meta: meta }, OK);
    expect(call).toMatchObject({ sessionId: 'c', sessionSource: 'meta', sessionConfidence: 'medium' });
  });

  test.each([
    ['a prompt is known by its name', 'prompts/get', { name: 'greet', arguments: {} }, 'greet'],
    ['of a resource only the scheme may be said', 'resources/read', { uri: 'FILE:///home/ada/x' }, 'file'],
    ['a URI without a scheme has none', 'resources/read', { uri: '/home/ada' }, ''],
    ['a tool is no target', 'tools/call', { name: 'find' }, ''],
  ])('the target of a redacted call is as expected because %s', (_because, method, params, target) => {
    expect(exchange(method, params, { result: {} }).call.target).toBe(target);
  });

  test.each([
    ['a listing is housekeeping', 'tools/list', {}, false],
    ['completion says what a person types', 'completion/complete', { argument: { value: 'x' } }, false],
    ['a tool call is what an agent did', 'tools/call', { name: 'x' }, true],
    ['reading a resource is what an agent did', 'resources/read', { uri: 'a:b' }, true],
  ])('a redacted call has fingerprints, or none, because %s', (_because, method, params, has) => {
    const { call } = exchange(method, params, { result: {} });
    expect([call.argumentsFingerprint !== '', call.resultFingerprint !== '']).toEqual([has, has]);
  });

  test('reads of two resources have different fingerprints', () => {
    const read = (uri: string) => {
      ended = [];
      return exchange('resources/read', { uri }, { result: {} }).call.argumentsFingerprint;
    };
    expect(read('note://a')).not.toBe(read('note://b'));
    expect(read('note://a')).toBe(read('note://a'));
  });

  test('the principal is hashed with the same key as the values', () => {
    const connection = connect();
    connection.received({ id: 1, method: 'ping' }, at(0), { hostPrincipal: 'ada' });
    connection.sent({ id: 1, result: {} }, at(1));
    const [observed] = ended;
    expect(observed && redactCall(observed, SHAPE).call.principal).toBe(
      SHAPE.fingerprinter.fingerprint('ada'),
    );
  });

  test('the key id is set when the principal is the only hashed value', () => {
    for (const hostPrincipal of ['ada', '']) {
      const connection = connect();
      connection.received({ id: 1, method: 'ping' }, at(0), { hostPrincipal });
      connection.sent({ id: 1, result: {} }, at(1));
    }
    const keys = ended.map((observed) => redactCall(observed, SHAPE).call.fingerprintKeyId);
    expect(keys).toEqual([SHAPE.fingerprinter.keyId, '']);
  });

  test('a refused call to a tool missing from the catalogue is classified as unknown tool', () => {
    const connection = connect({ transport: 'stdio' });
    const refuse = (id: number) => {
      connection.received({ id, method: 'tools/call', params: { name: 'nope' } }, at(id));
      connection.sent({ id, error: { code: -32602, message: 'no' } }, at(id));
    };
    refuse(1);
    connection.received({ id: 2, method: 'tools/list' }, at(2));
    connection.sent({ id: 2, result: { tools: [{ name: 'find' }] } }, at(2));
    refuse(3);
    const outcomes = ended.map((call) => redactCall(call, SHAPE).call.outcome);
    expect(outcomes).toEqual(['invalid_arguments', 'ok', 'unknown_tool']);
  });

  test('text chosen by a client is truncated', () => {
    const long = 'x'.repeat(100_000);
    const { call } = exchange(`tools/${long}`, { name: long, arguments: { [long]: long } }, OK);
    expect(call.method.length).toBe(256);
    ended = [];
    const tool = exchange('tools/call', { name: long, arguments: { [long]: long } }, OK).call;
    expect(JSON.stringify(tool).length).toBeLessThan(8_000);
  });
});

describe('listing in redacted calls', () => {
  test('the listing is attached to the first call after it, and its hash to every call', () => {
    const connection = connect({ transport: 'stdio' });
    for (const id of [1, 2]) {
      connection.received({ id, method: 'tools/list' }, at(id));
      connection.sent({ id, result: { tools: [{ name: 'find' }] } }, at(id));
    }
    const reduced = ended.map((call) => redactCall(call, SHAPE));
    expect(reduced.map(({ listing }) => listing?.catalogue.tools)).toEqual([[{ name: 'find' }], undefined]);
    expect(reduced[0]?.listing).toMatchObject({ serverName: 'notes', origin: 'list', environment: 'prod' });
    expect(new Set(reduced.map(({ call }) => call.catalogueHash)).size).toBe(1);
    expect(reduced[0]?.call.catalogueHash).toMatch(/^[0-9a-f]{16}$/);
  });
});

test.each([
  ['blocked', 'blocked', 'toolscope.guard.blocked', 'the guard answered it'],
  ['would_block', 'tool_error', 'toolscope.guard.would_block', 'the tool ran all the same'],
  ['nudged', 'tool_error', 'toolscope.guard.nudged', 'the tool ran, and the guard spoke behind it'],
] as const)('a call with the guard verdict %s is redacted to %s and %s, because %s', (...row) => {
  const [verdict, outcome, attribute] = row;
  const connection = connect();
  const request = { jsonrpc: '2.0', id: 7, method: 'tools/call', params: { name: 'find' } };
  const call = connection.received(request, at(0));
  if (call === undefined) throw new Error('no call');
  call.notes.guard = { verdict, code: 'LOOP_DETECTED' };
  const result = { content: [], isError: true, structuredContent: { error: { code: 'LOOP_DETECTED' } } };
  connection.sent({ jsonrpc: '2.0', id: 7, result }, at(1));
  const [observed] = ended;
  const reduced = observed && redactCall(observed, SHAPE).call;
  expect(reduced).toMatchObject({ outcome, attributes: { [attribute]: 'LOOP_DETECTED' } });
  if (verdict === 'blocked')
    expect(reduced).toMatchObject({ fault: 'none', errorCode: 'LOOP_DETECTED', errorMessage: '' });
});
