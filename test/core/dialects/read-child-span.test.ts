import { describe, expect, test } from 'vitest';
import { readChildSpan } from '../../../src/core/dialects/read-child-span.ts';
import type { CaptureMode } from '../../../src/core/model/tool-call.ts';
import type { Attributes, OtlpSpan, SpanKind } from '../../../src/core/otlp/span.ts';
import { createFingerprinter } from '../../../src/core/values/fingerprint.ts';

const fingerprinter = createFingerprinter(Buffer.alloc(32, 1));

function toSpan(attributes: Attributes, more: Partial<OtlpSpan> = {}): OtlpSpan {
  return {
    ...{ traceId: 'a'.repeat(32), spanId: 'b'.repeat(16), parentSpanId: 'c'.repeat(16) },
    ...{ name: 'work', kind: 'client', startUs: 1_000, endUs: 4_000, attributes },
    ...{ events: [], links: [], status: { code: 0, message: '' } },
    ...{ scope: { name: 'pg', version: '' }, resource: {} },
    ...more,
  };
}

const read = (span: OtlpSpan, capture: CaptureMode = 'shape') =>
  readChildSpan(span, { capture, fingerprinter });

describe('dependency of a child span', () => {
  test.each<[Attributes, string, string, string]>([
    [
      { 'db.system.name': 'postgresql', 'db.namespace': 'orders', 'server.address': 'db1' },
      'db',
      'postgresql:orders',
      'the current names say system and database',
    ],
    [{ 'db.system': 'mysql', 'db.name': 'shop' }, 'db', 'mysql:shop', 'the old names say the same'],
    [
      { 'db.system': 'redis', 'net.peer.name': 'cache' },
      'db',
      'redis:cache',
      'without a database the host tells',
    ],
    [
      { 'http.request.method': 'GET', 'server.address': 'api.example.com', 'server.port': 443 },
      'http',
      'api.example.com',
      'the usual port says nothing',
    ],
    [
      { 'http.method': 'GET', 'net.peer.name': 'localhost', 'net.peer.port': 3000 },
      'http',
      'localhost:3000',
      'another port is another service',
    ],
    [
      { 'http.method': 'GET', 'http.url': 'https://user:pw@api.example.com/v1/users/7?q=x' },
      'http',
      'api.example.com',
      'only the host of a URL is a name',
    ],
    [
      { 'rpc.system': 'grpc', 'rpc.service': 'shop.Orders' },
      'rpc',
      'grpc:shop.Orders',
      'it is a gRPC service',
    ],
    [
      { 'messaging.system': 'kafka', 'messaging.destination.name': 'orders' },
      'messaging',
      'kafka:orders',
      'it is a queue',
    ],
    [
      { 'gen_ai.provider.name': 'openai', 'server.address': 'api.openai.com' },
      'ai',
      'openai',
      'it is a model',
    ],
    [
      { 'mcp.method.name': 'tools/call', 'mcp.server.name': 'files' },
      'mcp',
      'mcp:files',
      'the tool calls another MCP server',
    ],
    [
      { 'peer.service': 'billing', 'http.method': 'GET', 'http.host': '10.0.0.7' },
      'http',
      'billing',
      'the operator has named the other side',
    ],
    [{}, 'internal', '', 'a client span that names nothing talks to nothing known'],
  ])('%j is of kind %s with the name %j, because %s', (attributes, kind, dependency) => {
    expect(read(toSpan(attributes))).toMatchObject({ kind, dependency });
  });

  test.each<[SpanKind, string, string]>([
    ['internal', 'postgresql', 'object mappers report queries as internal spans'],
    ['server', '', 'it is the work of another server'],
    ['consumer', '', 'it receives'],
  ])('a span of kind %s with a database has the dependency %j, because %s', (kind, dependency) => {
    expect(read(toSpan({ 'db.system': 'postgresql' }, { kind }))?.dependency).toBe(dependency);
  });

  test('in capture mode none only the system is named, because a host may come from an argument', () => {
    const http = toSpan({ 'http.method': 'GET', 'server.address': 'private.example.com' });
    expect(read(http, 'none')).toMatchObject({ dependency: 'http', name: '' });
  });
});

// Requirement: privacy.default
describe('name of a child span', () => {
  test.each<[string, Attributes, string, string]>([
    [
      'pg.query:SELECT orders',
      { 'db.system': 'postgresql', 'db.name': 'orders' },
      'pg.query:SELECT orders',
      'both are names',
    ],
    ['GET /users/alice', { 'http.method': 'GET' }, 'GET <path>', 'a path may hold an id'],
    [
      "SELECT * FROM users WHERE name = 'alice'",
      { 'db.system': 'x' },
      'SELECT * FROM users WHERE name = <str>',
      'a value is quoted',
    ],
    ['mail alice', {}, 'mail <word>', 'a word that is no known name may be personal'],
  ])('%j becomes %j with %j, because %s', (name, attributes, expected) => {
    expect(read(toSpan(attributes, { name }))?.name).toBe(expected);
  });

  test('secrets are replaced in every mode but full', () => {
    const secret = `ghp_${'a1B2'.repeat(9)}`;
    expect(read(toSpan({}, { name: `push ${secret}` }), 'redacted')?.name).not.toContain(secret);
    expect(read(toSpan({ 'db.system': 'x', 'db.name': secret }, { name: secret }))).not.toMatchObject({
      name: secret,
    });
  });
});

test('a root span cannot be below a call', () => {
  expect(read(toSpan({}, { parentSpanId: '' }))).toBeUndefined();
});

test('a span failed if its status or its error type says so', () => {
  expect(read(toSpan({ 'error.type': '500' }))).toMatchObject({ failed: true, errorType: '500' });
  expect(read(toSpan({}, { status: { code: 2, message: 'secret' } }))).toMatchObject({
    failed: true,
    errorType: '',
  });
  expect(read(toSpan({}))).toMatchObject({ failed: false, durationUs: 3_000 });
});
