// Hostile OTLP: what it is, what it has to be answered, and why. A case that is taken says how many rows it makes; no
// other makes any.
import { gzipSync } from 'node:zlib';
import { Writer } from 'protobufjs';

export interface HostileCase {
  readonly name: string;
  readonly because: string;
  readonly method?: string;
  readonly path: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string | Buffer;
  readonly status: number;
  /** Spans that the answer says were refused. */
  readonly rejected?: number;
  /** Rows of `calls` that it makes. */
  readonly rows?: number;
}

const JSON_TYPE = { 'content-type': 'application/json' };
const PROTOBUF_TYPE = { 'content-type': 'application/x-protobuf' };

let spanCount = 0;

/** A span that would be taken, with an id of its own. */
export function goodSpan(over: object = {}): object {
  spanCount += 1;
  const nowNanos = BigInt(Date.now()) * 1_000_000n;
  return {
    traceId: spanCount.toString(16).padStart(32, 'e'),
    spanId: spanCount.toString(16).padStart(16, 'e'),
    name: 'tools/call add',
    kind: 2,
    startTimeUnixNano: String(nowNanos),
    endTimeUnixNano: String(nowNanos + 5_000_000n),
    attributes: [text('mcp.method.name', 'tools/call'), text('gen_ai.tool.name', 'add')],
    ...over,
  };
}

export function text(key: string, value: string): object {
  return { key, value: { stringValue: value } };
}

export function documentOf(spans: readonly unknown[], server = 'good'): object {
  const resource = { attributes: [text('service.name', server)] };
  return { resourceSpans: [{ resource, scopeSpans: [{ scope: { name: 'test' }, spans }] }] };
}

type CaseOptions = Pick<HostileCase, 'status'> & Partial<HostileCase>;

function json(name: string, because: string, body: unknown, given: CaseOptions): HostileCase {
  const written = typeof body === 'string' || Buffer.isBuffer(body) ? body : JSON.stringify(body);
  return { name, because, method: 'POST', path: '/v1/traces', headers: JSON_TYPE, body: written, ...given };
}

const refused = (name: string, because: string, body: unknown): HostileCase =>
  json(name, because, body, { status: 400 });

const span = (over: object): object => documentOf([goodSpan(over)], 'hostile');
const value = (given: unknown): object => span({ attributes: [{ key: 'k', value: given }] });

/** A wrong type in each field: a decoder that trusts one of them throws, or stores nonsense. */
const WRONG_TYPES: readonly HostileCase[] = (
  [
    ['the document is a text', '"x"'],
    ['the document is a number', '5'],
    ['the document is true', 'true'],
    ['the document is a list', '[]'],
    ['resourceSpans is a text', { resourceSpans: 'x' }],
    ['resourceSpans is an object', { resourceSpans: { length: 5 } }],
    ['resourceSpans holds a text', { resourceSpans: ['x'] }],
    ['resourceSpans holds a list', { resourceSpans: [[]] }],
    ['resource is a list', { resourceSpans: [{ resource: [] }] }],
    ['resource is a text', { resourceSpans: [{ resource: 'x' }] }],
    ['resource.attributes is an object', { resourceSpans: [{ resource: { attributes: {} } }] }],
    ['scopeSpans is an object', { resourceSpans: [{ scopeSpans: {} }] }],
    ['scopeSpans holds a number', { resourceSpans: [{ scopeSpans: [7] }] }],
    ['scope is a list', { resourceSpans: [{ scopeSpans: [{ scope: [] }] }] }],
    ['scope.name is a number', { resourceSpans: [{ scopeSpans: [{ scope: { name: 1 } }] }] }],
    ['scope.version is an object', { resourceSpans: [{ scopeSpans: [{ scope: { version: {} } }] }] }],
    ['spans is an object', { resourceSpans: [{ scopeSpans: [{ spans: {} }] }] }],
    ['spans holds a text', documentOf(['span'], 'hostile')],
    ['spans holds a list', documentOf([[]], 'hostile')],
    ['traceId is a number', span({ traceId: 5 })],
    ['traceId is an object', span({ traceId: { toString: 'x' } })],
    ['spanId is a list', span({ spanId: ['aa'] })],
    ['spanId is true', span({ spanId: true })],
    ['parentSpanId is a number', span({ parentSpanId: 1 })],
    ['name is a number', span({ name: 5 })],
    ['name is an object', span({ name: {} })],
    ['kind is a word', span({ kind: 'SPAN_KIND_SERVER' })],
    ['kind is half a number', span({ kind: 1.5 })],
    ['kind is a list', span({ kind: [2] })],
    ['the start is a word', span({ startTimeUnixNano: 'soon' })],
    ['the start is negative', span({ startTimeUnixNano: -1 })],
    ['the start is an object', span({ startTimeUnixNano: {} })],
    ['the start has too many digits', span({ startTimeUnixNano: '9'.repeat(21) })],
    ['the start is hexadecimal', span({ startTimeUnixNano: '0x10' })],
    ['the end is true', span({ endTimeUnixNano: true })],
    ['the end is a date', span({ endTimeUnixNano: '2026-11-21T00:00:00Z' })],
    ['attributes is an object', span({ attributes: { a: 1 } })],
    ['attributes is a text', span({ attributes: 'a=1' })],
    ['attributes holds a text', span({ attributes: ['a'] })],
    ['a key is a number', span({ attributes: [{ key: 1, value: { stringValue: 'x' } }] })],
    ['a key is an object', span({ attributes: [{ key: {}, value: { stringValue: 'x' } }] })],
    ['a value is a text', value('x')],
    ['a value is a list', value([])],
    ['stringValue is a number', value({ stringValue: 5 })],
    ['stringValue is an object', value({ stringValue: {} })],
    ['boolValue is a word', value({ boolValue: 'true' })],
    ['boolValue is a number', value({ boolValue: 1 })],
    ['intValue is a word', value({ intValue: 'many' })],
    ['intValue is half a number', value({ intValue: 1.5 })],
    ['intValue has too many digits', value({ intValue: '1'.repeat(30) })],
    ['doubleValue is a word', value({ doubleValue: 'big' })],
    ['doubleValue is a list', value({ doubleValue: [1] })],
    ['arrayValue is a list', value({ arrayValue: [] })],
    ['arrayValue.values is an object', value({ arrayValue: { values: {} } })],
    ['arrayValue holds a text', value({ arrayValue: { values: ['x'] } })],
    ['kvlistValue is a text', value({ kvlistValue: 'x' })],
    ['kvlistValue.values is an object', value({ kvlistValue: { values: { a: 1 } } })],
    ['bytesValue is a number', value({ bytesValue: 7 })],
    ['events is an object', span({ events: {} })],
    ['events holds a text', span({ events: ['x'] })],
    ['an event has a number for a name', span({ events: [{ name: 1 }] })],
    ['an event has a word for a time', span({ events: [{ timeUnixNano: 'x' }] })],
    ['links is a text', span({ links: 'x' })],
    ['a link has a number for an id', span({ links: [{ traceId: 5 }] })],
    ['status is a text', span({ status: 'ok' })],
    ['status is a list', span({ status: [] })],
    ['status.code is a word', span({ status: { code: 'ERROR' } })],
    ['status.message is a number', span({ status: { message: 5 } })],
  ] as const
).map(([name, body]) =>
  refused(name, 'the field has one type, and nothing of the request may be stored', body),
);

const NO_JSON: readonly HostileCase[] = [
  refused('nothing', 'an empty body is no JSON', ''),
  refused('half a document', 'it was cut on the way', '{"resourceSpans":[{"scopeSpans":['),
  refused('a document and more', 'what follows is not ours to ignore', '{} {}'),
  refused('a byte order mark', 'JSON begins with its first character', '\ufeff{}'),
  refused('NaN', 'JSON has no such number', '{"resourceSpans":NaN}'),
  refused('a comment', 'JSON has none', '{/* spans */}'),
  refused('a trailing comma', 'JSON has none', '{"resourceSpans":[],}'),
  refused('single quotes', 'it is JavaScript', "{'resourceSpans':[]}"),
  refused('a raw NUL in a text', 'control characters are escaped', '{"resourceSpans":"\u0000"}'),
  refused('a million open lists', 'nobody closes them, and no stack may overflow', '['.repeat(1_000_000)),
  refused(
    'bytes that are no UTF-8',
    'JSON is UTF-8',
    Buffer.from([0x7b, 0x22, 0xc3, 0x28, 0x22, 0x3a, 0x31, 0x7d]),
  ),
  refused('UTF-16', 'JSON is UTF-8', Buffer.from('{"resourceSpans":[]}', 'utf16le')),
  refused('an overlong encoding', 'it is no UTF-8', Buffer.from([0x7b, 0xc0, 0xaf, 0x7d])),
  refused(
    'XML',
    'it is no JSON',
    '<?xml version="1.0"?><!DOCTYPE x [<!ENTITY e SYSTEM "file:///etc/passwd">]><x>&e;</x>',
  ),
];

const rejectedSpan = (name: string, because: string, over: object): HostileCase =>
  json(name, because, span(over), { status: 200, rejected: 1 });

const BAD_IDS: readonly HostileCase[] = [
  rejectedSpan('a trace id of 31 digits', 'it has 32', { traceId: 'a'.repeat(31) }),
  rejectedSpan('a trace id of 33 digits', 'it has 32', { traceId: 'a'.repeat(33) }),
  rejectedSpan('a trace id of a megabyte', 'it has 32', { traceId: 'a'.repeat(1024 * 1024) }),
  rejectedSpan('a trace id of zeros', 'zeros mean none', { traceId: '0'.repeat(32) }),
  rejectedSpan('a trace id of other letters', 'it is hexadecimal', { traceId: 'g'.repeat(32) }),
  rejectedSpan('a trace id in base64', 'OTLP/JSON has hexadecimal ones', {
    traceId: 'q83vASNFZ4mrze8BI0VniQ==',
  }),
  rejectedSpan('a trace id that is SQL', 'it is hexadecimal', { traceId: "' OR 1=1 --".padEnd(32) }),
  rejectedSpan('a trace id with a NUL', 'it is hexadecimal', { traceId: `${'a'.repeat(31)}\0` }),
  rejectedSpan('a trace id with a line break', 'a $ in a pattern matches before it', {
    traceId: `${'a'.repeat(32)}\n`,
  }),
  rejectedSpan('a trace id of full-width digits', 'they are no ASCII', { traceId: '１'.repeat(32) }),
  rejectedSpan('no trace id', 'a call has one', { traceId: undefined }),
  rejectedSpan('a span id of 15 digits', 'it has 16', { spanId: 'b'.repeat(15) }),
  rejectedSpan('a span id of zeros', 'zeros mean none', { spanId: '0'.repeat(16) }),
  rejectedSpan('a span id of null', 'a call has one', { spanId: null }),
  rejectedSpan('a span id with a slash', 'it is hexadecimal', { spanId: '../../../../etc/' }),
];

const BAD_TIMES: readonly HostileCase[] = [
  rejectedSpan('no start', 'zero is before any retention', { startTimeUnixNano: undefined }),
  rejectedSpan('an empty end', 'zero is before any retention', { endTimeUnixNano: '' }),
  rejectedSpan('a start of 1970', 'it is before the retention', { startTimeUnixNano: '1' }),
  rejectedSpan('a start that is half a number', 'it is before the retention', { startTimeUnixNano: 1.5 }),
  rejectedSpan('an end in the year 2554', 'it is the largest there is', {
    endTimeUnixNano: '18446744073709551615',
  }),
  rejectedSpan('an end beyond 64 bits', 'it is no time', { endTimeUnixNano: '99999999999999999999' }),
  rejectedSpan('a start of 1e300', 'it is no time', { startTimeUnixNano: 1e300 }),
  rejectedSpan('an end of next year', 'clocks differ by minutes', {
    endTimeUnixNano: String(BigInt(Date.now() + 366 * 86_400_000) * 1_000_000n),
  }),
  json(
    'good spans around a bad one',
    'the others are stored',
    documentOf([goodSpan(), goodSpan({ traceId: 'x' }), goodSpan()], 'odd'),
    { status: 200, rejected: 1, rows: 2 },
  ),
];

const acceptedCase = (name: string, because: string, body: unknown, rows = 1): HostileCase =>
  json(name, because, body, { status: 200, rows });

const oddCase = (over: object): object => documentOf([goodSpan(over)], 'odd');
const toolNamed = (name: string): object =>
  oddCase({ attributes: [text('mcp.method.name', 'tools/call'), text('gen_ai.tool.name', name)] });
const withAttribute = (attribute: object): object =>
  oddCase({
    attributes: [text('mcp.method.name', 'tools/call'), text('gen_ai.tool.name', 'add'), attribute],
  });
const nest = (levels: number): unknown =>
  levels === 0 ? { stringValue: 'deep' } : { arrayValue: { values: [nest(levels - 1)] } };

/** Odd, and nobody's fault: each is stored, and none spoils the batch that it is in. */
const ODD_CASES: readonly HostileCase[] = [
  acceptedCase(
    'ids in capitals',
    'hexadecimal has no case',
    oddCase({ traceId: 'A'.repeat(32), spanId: 'B'.repeat(16) }),
  ),
  acceptedCase('a tool with a NUL', 'it is a character', toolNamed('a\0b')),
  acceptedCase(
    'a tool with half an emoji',
    'the store refuses half a character, and with it the batch',
    toolNamed('cut \ud83d'),
  ),
  acceptedCase('a tool with the other half', 'so it does this one', toolNamed('\ude00 cut')),
  acceptedCase('a tool with a line break', 'rows are lines', toolNamed('a\nb\r\nc\u2028d')),
  acceptedCase('a tool that is a row', 'it is a text', toolNamed('"}\n{"trace_id":"x"}')),
  acceptedCase('a tool with escapes', 'they are letters', toolNamed('\\u0000\\ud83d\\')),
  acceptedCase(
    'a tool that is SQL',
    'no statement is put together from it',
    toolNamed("'; DROP TABLE calls; --"),
  ),
  acceptedCase(
    'a tool that is HTML',
    'it is a text',
    toolNamed('<script>alert(1)</script><img src=x onerror=alert(1)>'),
  ),
  acceptedCase(
    'a tool that is a formula',
    'exports mark it',
    toolNamed('=HYPERLINK("http://evil.example","x")'),
  ),
  acceptedCase('a tool that is a path', 'no file has its name', toolNamed('../../../../etc/passwd')),
  acceptedCase('a tool called __proto__', 'it is data', toolNamed('__proto__')),
  acceptedCase('a tool called constructor', 'it is data', toolNamed('constructor')),
  acceptedCase('a tool with a right-to-left mark', 'it is a character', toolNamed('\u202egnp.exe')),
  acceptedCase('a tool of a hundred thousand letters', 'a name is cut', toolNamed('n'.repeat(100_000))),
  acceptedCase('a tool without a name', 'it was called all the same', toolNamed('')),
  acceptedCase('an attribute called __proto__', 'it is data', withAttribute(text('__proto__', 'x'))),
  acceptedCase('an attribute called constructor', 'it is data', withAttribute(text('constructor', 'x'))),
  acceptedCase(
    'an attribute called hasOwnProperty',
    'it is data',
    withAttribute(text('hasOwnProperty', 'x')),
  ),
  acceptedCase(
    'a member called __proto__',
    'JSON.parse makes it data',
    JSON.stringify(oddCase({})).replace('"kind"', '"__proto__":{"polluted":true},"kind"'),
  ),
  acceptedCase(
    'a key of __proto__ inside of a value',
    'it is data',
    withAttribute({ key: 'k', value: { kvlistValue: { values: [text('__proto__', 'x')] } } }),
  ),
  acceptedCase(
    'duplicate members',
    'the later wins',
    JSON.stringify(oddCase({})).replace('"kind":2', '"kind":3,"kind":2'),
  ),
  acceptedCase(
    'duplicate attributes',
    'the later wins',
    oddCase({
      attributes: [
        text('mcp.method.name', 'x'),
        text('mcp.method.name', 'tools/call'),
        text('gen_ai.tool.name', 'add'),
      ],
    }),
  ),
  acceptedCase('unknown members', 'a newer protocol has them', oddCase({ flags: 1, future: { a: [1] } })),
  acceptedCase(
    'the largest integer',
    'its digits are kept',
    withAttribute({ key: 'k', value: { intValue: '9223372036854775807' } }),
  ),
  acceptedCase(
    'an integer beyond 64 bits',
    'its digits are kept',
    withAttribute({ key: 'k', value: { intValue: '99999999999999999999' } }),
  ),
  acceptedCase(
    'infinity',
    'JSON has a word for it',
    withAttribute({ key: 'k', value: { doubleValue: '-Infinity' } }),
  ),
  acceptedCase(
    'a number that becomes infinite',
    'JSON.parse makes it so',
    JSON.stringify(withAttribute({ key: 'k', value: { doubleValue: 4711.25 } })).replace('4711.25', '1e999'),
  ),
  acceptedCase('a negative zero', 'it is a number', withAttribute({ key: 'k', value: { doubleValue: -0 } })),
  acceptedCase(
    'an end before the start',
    'clocks step back; it lasted nothing',
    oddCase({ endTimeUnixNano: String(BigInt(Date.now() - 5_000) * 1_000_000n) }),
  ),
  acceptedCase('a status from the future', 'it counts as unset', oddCase({ status: { code: 99 } })),
  acceptedCase('an empty session id', 'it is no session', withAttribute(text('mcp.session.id', ''))),
  acceptedCase(
    'a session id with slashes',
    'it is asked for in a path',
    withAttribute(text('mcp.session.id', '../../a/b?c#d%2e')),
  ),
  acceptedCase(
    'a session id of dots',
    'it is asked for in a path',
    withAttribute(text('mcp.session.id', '..')),
  ),
  acceptedCase('a server without a name', 'it has one of ours', documentOf([goodSpan()], '')),
  acceptedCase(
    'a call that is its own parent',
    'nobody follows it round',
    oddCase({ traceId: 'f'.repeat(32), spanId: 'f'.repeat(16), parentSpanId: 'f'.repeat(16) }),
  ),
  json(
    'no spans',
    'it is an empty request',
    { resourceSpans: [{ scopeSpans: [{ spans: [] }] }] },
    { status: 200 },
  ),
  json(
    'nulls everywhere',
    'null is "not set"',
    { resourceSpans: [{ resource: null, scopeSpans: [{ scope: null, spans: [null] }, null] }, null] },
    { status: 200 },
  ),
  json('a client span', 'the other side counts it', documentOf([goodSpan({ kind: 3 })], 'hostile'), {
    status: 200,
  }),
  json(
    'a span that is no MCP call',
    'it is somebody else’s',
    documentOf([goodSpan({ attributes: [] })], 'hostile'),
    { status: 200 },
  ),
];

/** Cut, told, and not refused. */
const CUT_CASES: readonly HostileCase[] = [
  json(
    'an attribute that is nested forty deep',
    'sixteen levels are kept',
    withAttribute({ key: 'k', value: nest(40) }),
    { status: 200, rejected: 0, rows: 1 },
  ),
  json(
    'two thousand attributes',
    'the first thousand and twenty-four are kept',
    oddCase({
      attributes: [
        text('mcp.method.name', 'tools/call'),
        text('gen_ai.tool.name', 'add'),
        ...Array.from({ length: 2_000 }, (_, n) => text(`k${n}`, 'x')),
      ],
    }),
    { status: 200, rejected: 0, rows: 1 },
  ),
  json('a text of two megabytes', 'one is kept', withAttribute(text('k', 'x'.repeat(2 * 1024 * 1024))), {
    status: 200,
    rejected: 0,
    rows: 1,
  }),
  json('a key of a thousand letters', '256 are kept', withAttribute(text('k'.repeat(1_000), 'x')), {
    status: 200,
    rejected: 0,
    rows: 1,
  }),
  json(
    'five hundred events',
    '128 are kept',
    oddCase({ events: Array.from({ length: 500 }, () => ({ name: 'e' })) }),
    { status: 200, rejected: 0, rows: 1 },
  ),
];

const field = (id: number, content: Buffer): Buffer => {
  const head = Writer.create()
    .uint32((id << 3) | 2)
    .uint32(content.length)
    .finish();
  return Buffer.concat([head, content]);
};
const inSpan = (content: Buffer): Buffer => field(1, field(2, field(2, content)));
const protobuf = (
  name: string,
  because: string,
  body: Buffer,
  given: CaseOptions = { status: 400 },
): HostileCase => ({
  ...json(name, because, body, given),
  headers: PROTOBUF_TYPE,
});

const PROTOBUF: readonly HostileCase[] = [
  protobuf('protobuf of zeros', 'a field has a number', Buffer.alloc(64)),
  protobuf('protobuf of ones', 'the tag does not end', Buffer.alloc(64, 0xff)),
  protobuf('a length behind the end', 'there is no more', Buffer.from([0x0a, 0x7f, 0x01])),
  protobuf(
    'a length of four gigabytes',
    'nothing is allocated for it',
    Buffer.from([0x0a, 0xff, 0xff, 0xff, 0xff, 0x0f]),
  ),
  protobuf(
    'a length behind the end of its message',
    'the rest belongs to somebody else',
    field(1, Buffer.from([0x12, 0x10, 0x12, 0x02])),
  ),
  protobuf('a group that does not end', 'there is no more', Buffer.from([0x0b, 0x0b, 0x0b])),
  protobuf('a group that was not begun', 'nothing ends', Buffer.from([0x0c])),
  protobuf('groups a thousand deep', 'no stack may overflow', Buffer.alloc(2_000, 0x0b)),
  protobuf('a wire type that does not exist', 'there are six', Buffer.from([0x0e, 0x01])),
  protobuf(
    'a number that does not end',
    'it has ten bytes at most',
    inSpan(Buffer.concat([Buffer.from([0x30]), Buffer.alloc(11, 0x80)])),
  ),
  protobuf('values a hundred and fifty deep', 'protobuf allows a hundred', inSpan(deepValue(150))),
  protobuf('JSON called protobuf', 'it is none', Buffer.from('{"resourceSpans":[]}')),
  protobuf('gzip called plain protobuf', 'it is none', gzipSync(Buffer.from([0x0a, 0x00]))),
  protobuf('an empty body', 'it is an empty request', Buffer.alloc(0), { status: 200 }),
  protobuf(
    'unknown fields',
    'a newer protocol has them',
    Buffer.concat([field(1000, Buffer.from('x')), field(2, Buffer.alloc(0))]),
    { status: 200 },
  ),
  protobuf('a span of nothing', 'it has no id', inSpan(Buffer.alloc(0)), { status: 200, rejected: 1 }),
  protobuf('a trace id of 15 bytes', 'it has 16', inSpan(field(1, Buffer.alloc(15, 1))), {
    status: 200,
    rejected: 1,
  }),
  protobuf('a trace id of a megabyte of bytes', 'it has 16', inSpan(field(1, Buffer.alloc(1024 * 1024, 1))), {
    status: 200,
    rejected: 1,
  }),
  protobuf(
    'a name that is no UTF-8',
    'a text of protobuf is UTF-8',
    inSpan(field(5, Buffer.from([0xff, 0xfe]))),
  ),
];

/** KeyValue { value: ArrayValue { values: … } }, from the inside out. */
function deepValue(levels: number): Buffer {
  let value = field(1, Buffer.from('deep'));
  for (let level = 0; level < levels; level += 1) value = field(5, field(1, value));
  return field(9, Buffer.concat([field(1, Buffer.from('k')), field(2, value)]));
}

const MIB = 1024 * 1024;
const post = (
  name: string,
  because: string,
  given: CaseOptions & Pick<HostileCase, 'body' | 'headers'>,
): HostileCase => ({
  name,
  because,
  method: 'POST',
  path: '/v1/traces',
  ...given,
});
const gzipped = { ...JSON_TYPE, 'content-encoding': 'gzip' };

const ENCODINGS: readonly HostileCase[] = [
  post('plain text', 'OTLP is JSON or protobuf', {
    headers: { 'content-type': 'text/plain' },
    body: '{}',
    status: 415,
  }),
  post('a form', 'a page of another origin can send one', {
    headers: { 'content-type': 'application/x-www-form-urlencoded' },
    body: 'a=b',
    status: 415,
  }),
  post('no content type', 'nobody guesses', { body: '{}', status: 415 }),
  post('a content type of junk', 'nobody guesses', {
    headers: { 'content-type': ';;;application/json' },
    body: '{}',
    status: 415,
  }),
  post('application/json+x', 'it is another type', {
    headers: { 'content-type': 'application/json+x' },
    body: '{}',
    status: 415,
  }),
  post('brotli', 'gzip is what OTLP has', {
    headers: { ...JSON_TYPE, 'content-encoding': 'br' },
    body: '{}',
    status: 415,
  }),
  post('gzip in gzip', 'one layer is enough', {
    headers: { ...JSON_TYPE, 'content-encoding': 'gzip, gzip' },
    body: '{}',
    status: 415,
  }),
  post('an encoding of the prototype', 'it is no encoding', {
    headers: { ...JSON_TYPE, 'content-encoding': 'constructor' },
    body: '{}',
    status: 415,
  }),
  post('plain called gzip', 'it is none', { headers: gzipped, body: '{}', status: 400 }),
  post('gzip that is cut', 'half a document is none', {
    headers: gzipped,
    body: gzipSync('{}').subarray(0, 10),
    status: 400,
  }),
  post('gzip with a wrong checksum', 'it was damaged on the way', {
    headers: gzipped,
    body: damaged(gzipSync('{"resourceSpans":[]}')),
    status: 400,
  }),
  post('gzip of nothing', 'it is no JSON', { headers: gzipped, body: gzipSync(''), status: 400 }),
  post('a bomb of spaces', 'a small body may not become a large one', {
    headers: gzipped,
    body: gzipSync(Buffer.alloc(80 * MIB, ' ')),
    status: 413,
  }),
  post('a bomb of protobuf', 'a small body may not become a large one', {
    headers: { ...PROTOBUF_TYPE, 'content-encoding': 'gzip' },
    body: gzipSync(Buffer.alloc(80 * MIB, 0x0a)),
    status: 413,
  }),
  post('a bomb of objects', 'parsing it would take a gigabyte', {
    headers: gzipped,
    body: gzipSync(`[${'{},'.repeat(4 * MIB)}{}]`),
    status: 413,
  }),
  post('a bomb of empty spans', 'each would become an object of ours', {
    headers: { ...PROTOBUF_TYPE, 'content-encoding': 'gzip' },
    body: gzipSync(field(1, field(2, Buffer.alloc(8 * MIB, Buffer.from([0x12, 0x00]))))),
    status: 413,
  }),
  post('another method', 'spans are posted', { method: 'PUT', headers: JSON_TYPE, body: '{}', status: 405 }),
  post('a read', 'spans are posted', { method: 'GET', status: 405 }),
  post('another signal', 'profiles are not taken', {
    path: '/v1development/profiles',
    headers: JSON_TYPE,
    body: '{}',
    status: 404,
  }),
  post('a path behind the path', 'there is none', {
    path: '/v1/traces/extra',
    headers: JSON_TYPE,
    body: '{}',
    status: 404,
  }),
];

/** The last four bytes but four are the checksum. */
function damaged(bytes: Buffer): Buffer {
  const copy = Buffer.from(bytes);
  copy[copy.length - 6] = (copy[copy.length - 6] ?? 0) ^ 0xff;
  return copy;
}

export const OTLP_CASES: readonly HostileCase[] = [
  ...WRONG_TYPES,
  ...NO_JSON,
  ...BAD_IDS,
  ...BAD_TIMES,
  ...ODD_CASES,
  ...CUT_CASES,
  ...PROTOBUF,
  ...ENCODINGS,
];
