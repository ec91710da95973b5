import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { classifyFault } from '../../../src/core/classification/classify-ending.ts';
import { normaliseSpan } from '../../../src/core/dialects/normalise-span.ts';
import { toServerStartSpan, toSpan } from '../../../src/core/dialects/toolscope-span.ts';
import type { ToolCall } from '../../../src/core/model/tool-call.ts';
import { decodeTracesJson } from '../../../src/core/otlp/decode-json.ts';
import { encodeTracesJson } from '../../../src/core/otlp/encode-json.ts';
import type { Attributes, OtlpSpan } from '../../../src/core/otlp/span.ts';
import { propertyRuns } from '../../support/property-runs.ts';
import { arbitraryCall, arbitraryCatalogue, arbitraryRedactedCall } from './arbitrary-call.ts';
import { redactionOf, SHAPE_REDACTION } from './redaction.ts';

const [someCall] = fc.sample(arbitraryCall, { numRuns: 1, seed: 1 });
const callWith = (fields: Partial<ToolCall>): ToolCall => {
  const call = {
    ...someCall!,
    side: 'server' as const,
    errorCode: '',
    errorType: '',
    attributes: {},
    ...fields,
  };
  return { ...call, fault: classifyFault(call.outcome, call.errorCode) };
};

function overTheWire(span: OtlpSpan): OtlpSpan {
  const decoded = decodeTracesJson(encodeTracesJson([span]));
  if (decoded.status !== 'decoded') throw new Error(decoded.reason);
  return decoded.spans[0]!;
}

describe('call as a span', () => {
  test('a call is decoded unchanged with all its attachments', () => {
    fc.assert(
      fc.property(arbitraryRedactedCall, (reduced) => {
        expect(normaliseSpan(overTheWire(toSpan(reduced)), SHAPE_REDACTION)).toEqual({
          kind: 'call',
          ...reduced,
        });
      }),
      { numRuns: propertyRuns({ quick: 100, full: 500 }) },
    );
  });

  test('a masked fingerprint equal to the exact one is left out of the span', () => {
    const same = callWith({
      argumentsFingerprint: 'a'.repeat(16),
      argumentsMaskedFingerprint: 'a'.repeat(16),
    });
    expect(Object.keys(toSpan({ call: same }).attributes)).not.toContain(
      'toolscope.arguments.masked_fingerprint',
    );
  });

  test.each<[Partial<ToolCall>, string, string]>([
    [{ method: 'tools/call', toolName: 'add', target: '' }, 'tools/call add', 'a tool is the target'],
    [{ method: 'prompts/get', toolName: '', target: 'plan' }, 'prompts/get plan', 'a prompt is the target'],
    [
      { method: 'resources/read', toolName: '', target: 'file' },
      'resources/read',
      'a URI has too many values',
    ],
    [{ method: 'ping', toolName: '', target: '' }, 'ping', 'there is no target'],
  ])('the span of %j is named "%s", because %s', (fields, name, _because) => {
    expect(toSpan({ call: callWith(fields) }).name).toBe(name);
  });

  test('the span has the attribute names of the semantic conventions', () => {
    const call = callWith({
      method: 'tools/call',
      toolName: 'add',
      requestId: '7',
      transport: 'http',
      sessionId: 's-1',
      sessionSource: 'transport',
      protocolVersion: '2025-11-25',
    });
    const { kind, attributes, resource } = toSpan({ call });
    expect(kind).toBe('server');
    expect(attributes).toMatchObject({
      'mcp.method.name': 'tools/call',
      'gen_ai.tool.name': 'add',
      'gen_ai.operation.name': 'execute_tool',
      'jsonrpc.request.id': '7',
      'mcp.session.id': 's-1',
      'mcp.protocol.version': '2025-11-25',
      'network.transport': 'tcp',
      'network.protocol.name': 'http',
    });
    expect(resource['service.name']).toBe(call.serverName);
  });

  test.each<[Attributes, boolean, string]>([
    [{ 'toolscope.fingerprint.key_id': '0a1b2c3d' }, true, 'it says with which key it was hashed'],
    [{}, false, 'anybody may name the scope'],
    [{ 'toolscope.fingerprint.key_id': 'mine' }, false, 'that is no id of a key'],
  ])('whether a span with %j keeps the hash of a user is %s, because %s', (mark, isKept, _because) => {
    const hash = '0123456789abcdef';
    const span = toSpan({ call: callWith({ principal: '', fingerprintKeyId: '' }) });
    const attributes = { ...span.attributes, ...mark, 'toolscope.principal': hash };
    const read = normaliseSpan({ ...span, attributes }, SHAPE_REDACTION);
    const principal = read.kind === 'call' ? read.call.principal : '';
    expect(principal).toMatch(/^[0-9a-f]{16}$/);
    expect(principal === hash).toBe(isKept);
  });

  test('a session id set by the host is not written to the attribute for transport sessions', () => {
    const span = toSpan({ call: callWith({ sessionId: 'h', sessionSource: 'host' }) });
    expect(span.attributes['mcp.session.id']).toBeUndefined();
    expect(span.attributes['toolscope.session.id']).toBe('h');
  });

  test.each<[Partial<ToolCall>, 0 | 2, string | undefined, string]>([
    [{ outcome: 'ok' }, 0, undefined, 'it is fine'],
    [{ outcome: 'cancelled' }, 0, undefined, 'nobody failed'],
    [{ outcome: 'tool_error', errorCode: 'HTTP_404' }, 2, 'tool_error', 'isError is an error on both sides'],
    [
      { outcome: 'exception', errorType: 'TypeError', method: 'tools/call' },
      2,
      'tool_error',
      'SDKs answer isError',
    ],
    [{ outcome: 'exception', errorType: 'TypeError', method: 'x' }, 2, 'TypeError', 'else the class'],
    [{ outcome: 'invalid_arguments', errorCode: '-32602' }, 0, undefined, 'the client was wrong'],
    [{ outcome: 'unknown_tool', errorCode: '-32602' }, 0, undefined, 'the client was wrong'],
    [{ outcome: 'protocol_error', errorCode: '-32601' }, 0, undefined, 'the client was wrong'],
    [
      { outcome: 'protocol_error', errorCode: '-32601', side: 'client' },
      2,
      '-32601',
      'a client sees an error',
    ],
    [{ outcome: 'protocol_error', errorCode: '-32603' }, 2, '-32603', 'any other code is an error'],
    [{ outcome: 'timeout', errorCode: 'timeout' }, 2, 'timeout', 'general guidance'],
    [
      { outcome: 'invalid_output', errorCode: '-32602', method: 'tools/call' },
      2,
      'tool_error',
      'the server was wrong',
    ],
  ])('the span of %j has status %d and error.type %s, because %s', (fields, code, errorType, _because) => {
    const span = toSpan({ call: callWith(fields) });
    expect([span.status.code, span.attributes['error.type']]).toEqual([code, errorType]);
  });
});

describe('server start as a span', () => {
  test('a server start is decoded with its catalogue', () => {
    fc.assert(
      fc.property(arbitraryCatalogue, fc.nat(9), (catalogue, droppedCalls) => {
        const server = { serverName: 'notes', serverVersion: '1.4.2', environment: 'test' };
        const start = {
          ...server,
          traceId: 'a'.repeat(32),
          spanId: 'b'.repeat(16),
          atUs: 1_700,
          droppedCalls,
        };
        expect(
          normaliseSpan(overTheWire(toServerStartSpan({ ...start, catalogue })), SHAPE_REDACTION),
        ).toEqual({
          kind: 'start',
          droppedCalls,
          listing: { ...server, listedAtUs: 1_700, origin: 'start', catalogue },
        });
        expect(normaliseSpan(toServerStartSpan(start), SHAPE_REDACTION)).toEqual({
          kind: 'start',
          droppedCalls,
        });
      }),
    );
  });

  test('a server start whose catalogue was truncated on its way has none', () => {
    const start = { serverName: 'n', serverVersion: '', environment: '', traceId: 'a', spanId: 'b', atUs: 1 };
    const span = toServerStartSpan({
      ...start,
      catalogue: { hash: 'a'.repeat(16), tools: [{ name: 'add' }] },
    });
    const cut = { ...span, attributes: { ...span.attributes, 'toolscope.catalogue.tools': '[{"name":"ad' } };
    expect(normaliseSpan(cut, SHAPE_REDACTION)).toEqual({ kind: 'start', droppedCalls: 0 });
  });
});

describe('third-party spans that name our scope', () => {
  const spanWith = (attributes: OtlpSpan['attributes'], extra: Partial<OtlpSpan> = {}): OtlpSpan => {
    const span = toSpan({ call: callWith({ outcome: 'ok', method: 'tools/call', catalogueHash: '' }) });
    return { ...span, ...extra, attributes: { ...span.attributes, ...attributes } };
  };
  const read = (span: OtlpSpan): ToolCall => {
    const normalised = normaliseSpan(span, SHAPE_REDACTION);
    if (normalised.kind !== 'call') throw new Error(normalised.kind);
    return normalised.call;
  };

  test('an outcome of a newer version is replaced by a classification of the rest of the span', () => {
    const newer = spanWith(
      { 'toolscope.outcome': 'melted', 'rpc.response.status_code': '-32603' },
      { status: { code: 2, message: 'Internal error' } },
    );
    expect(read(newer)).toMatchObject({ outcome: 'protocol_error', errorCode: '-32603', fault: 'server' });
  });

  test('invalid fingerprints become empty', () => {
    const call = read(
      spanWith({
        'toolscope.arguments.fingerprint': 'xyz',
        'toolscope.arguments.masked_fingerprint': 5,
        'toolscope.arguments.fingerprints': '{"a":"nope","b":"0123456789abcdef"}',
        'toolscope.result.similarity': '0123456789ABCDEF',
        'toolscope.catalogue.hash': 'z',
      }),
    );
    expect(call).toMatchObject({
      argumentsFingerprint: '',
      argumentsMaskedFingerprint: '',
      argumentFingerprints: { b: '0123456789abcdef' },
      resultSimilarity: '',
      catalogueHash: '',
    });
  });

  test('invalid counts become zero', () => {
    const call = read(spanWith({ 'toolscope.result.bytes': -1, 'toolscope.arguments.bytes': 'many' }));
    expect(call).toMatchObject({ resultBytes: 0, argumentsBytes: 0 });
  });

  test('a session without a source is no session', () => {
    const call = read(spanWith({ 'toolscope.session.id': 'x', 'toolscope.session.source': 'guess' }));
    expect(call).toMatchObject({ sessionId: '', sessionSource: 'none', sessionConfidence: 'none' });
  });

  test('attributes added by a span processor are filtered by the allow-list', () => {
    const call = read(spanWith({ 'app.user': 'secret', 'telemetry.sdk.name': 'opentelemetry' }));
    expect(call.attributes).toEqual({ 'telemetry.sdk.name': 'opentelemetry' });
  });

  test.each(['none', 'shape', 'redacted', 'full'] as const)(
    'the guard’s verdict is decoded in capture mode %s',
    (capture) => {
      const attributes = {
        'toolscope.guard.would_block': 'LOOP_DETECTED',
        'toolscope.guard.nudged': 'LOOP_DETECTED',
      };
      const read = normaliseSpan(overTheWire(spanWith(attributes)), redactionOf(capture));
      expect(read.kind === 'call' && read.call.attributes).toEqual(attributes);
    },
  );

  test.each<[Partial<OtlpSpan>, string, string]>([
    [{ attributes: {} }, 'not_mcp', 'it names no method'],
    [{ kind: 'internal' }, 'internal_span', 'no request has this kind'],
  ])('a span with %j is ignored as %s, because %s', (extra, reason, _because) => {
    expect(normaliseSpan({ ...spanWith({}), ...extra }, SHAPE_REDACTION)).toEqual({
      kind: 'ignored',
      reason,
    });
  });
});
