import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { Instant, ObservedCall, OpenCall, SpanIds } from '../../../src/core/observer/observed-call.ts';
import type { ConnectionFacts, ObservedConnection } from '../../../src/core/observer/observed-connection.ts';
import { createObserver } from '../../../src/core/observer/observer.ts';

function at(ms: number): Instant {
  return { wallUs: 1_700_000_000_000_000 + ms * 1_000, monotonicMs: ms };
}

function watch(facts: Partial<ConnectionFacts<SpanIds>> = {}, maximumAgeMs = 60_000) {
  const ended: ObservedCall<SpanIds>[] = [];
  const observer = createObserver<SpanIds>({ onEnded: (call) => ended.push(call), maxAgeMs: maximumAgeMs });
  let spans = 0;
  function connect(more: Partial<ConnectionFacts<SpanIds>> = {}): ObservedConnection<SpanIds> {
    return observer.connect({
      identify: ({ parent }) => {
        spans += 1;
        return { traceId: 't', spanId: String(spans), parentSpanId: parent?.ids.spanId ?? '' };
      },
      transport: 'stdio',
      connectionId: 'conn',
      environment: '',
      server: { name: 'notes', version: '1' },
      ...facts,
      ...more,
    });
  }
  return { observer, ended, connect, connection: connect() };
}

const request = (id: unknown, method = 'tools/call', params: unknown = { name: 'add' }) => ({
  jsonrpc: '2.0',
  id,
  method,
  params,
});
const result = (id: unknown, value: unknown = { content: [] }) => ({ jsonrpc: '2.0', id, result: value });
const failure = (id: unknown, code = -32603) => ({ jsonrpc: '2.0', id, error: { code, message: 'no' } });
const cancelled = (requestId: unknown, reason?: string) => ({
  jsonrpc: '2.0',
  method: 'notifications/cancelled',
  params: { requestId, ...(reason && { reason }) },
});

type Step = readonly ['in' | 'out', unknown] | readonly ['close'] | readonly ['expire', number];

function observeSteps(steps: readonly Step[], facts: Partial<ConnectionFacts<SpanIds>> = {}) {
  const { observer, ended, connection } = watch(facts);
  steps.forEach((step, ms) => {
    if (step[0] === 'in') connection.received(step[1], at(ms));
    else if (step[0] === 'out') connection.sent(step[1], at(ms));
    else if (step[0] === 'close') connection.closed(at(ms));
    else if (step[0] === 'expire') observer.expire(at(step[1]));
  });
  return { ended, observer };
}

const modern = { name: 'add', _meta: { 'io.modelcontextprotocol/protocolVersion': '2026-07-28' } };

describe('observed calls', () => {
  const table: readonly (readonly [because: string, steps: Step[], endings: string[], facts?: object])[] = [
    [
      'a result with its id ends it',
      [
        ['in', request(1)],
        ['out', result(1)],
      ],
      ['1 result'],
    ],
    [
      'an error with its id ends it',
      [
        ['in', request(1)],
        ['out', failure(1)],
      ],
      ['1 error'],
    ],
    [
      'answers may come in any order',
      [
        ['in', request(1)],
        ['in', request(2)],
        ['out', result(2)],
        ['out', result(1)],
      ],
      ['2 result', '1 result'],
    ],
    [
      '1 is not "1"',
      [
        ['in', request(1)],
        ['in', request('1')],
        ['out', failure('1')],
        ['out', result(1)],
      ],
      ['1 error', '1 result'],
    ],
    ['an answer nobody asked for is none', [['out', result(7)]], []],
    [
      'a second answer to one request is none',
      [
        ['in', request(1)],
        ['out', result(1)],
        ['out', failure(1)],
      ],
      ['1 result'],
    ],
    [
      'the client cancelled it',
      [
        ['in', request(5)],
        ['in', cancelled(5, 'user')],
      ],
      ['5 cancelled user'],
    ],
    [
      '0 is an id as good as any, though one SDK forgets it',
      [
        ['in', request(0)],
        ['in', cancelled(0)],
      ],
      ['0 cancelled'],
    ],
    [
      'an answer after a cancellation changes nothing',
      [
        ['in', request(0)],
        ['in', cancelled(0)],
        ['out', result(0)],
      ],
      ['0 cancelled'],
    ],
    [
      'another id was cancelled',
      [
        ['in', request(1)],
        ['in', cancelled('1')],
      ],
      [],
    ],
    ['the connection closed first', [['in', request(1)], ['close']], ['1 closed']],
    [
      'closing the response stream is how a modern client cancels',
      [['in', request(1, 'tools/call', modern)], ['close']],
      ['1 cancelled'],
      { transport: 'http' },
    ],
    [
      'a pipe that closes cancels nothing, modern or not',
      [['in', request(1, 'tools/call', modern)], ['close']],
      ['1 closed'],
    ],
    [
      'some requests are answered by another way, or never',
      [
        ['in', request(1)],
        ['expire', 60_001],
      ],
      ['1 expired'],
    ],
    [
      'a minute is not up',
      [
        ['in', request(1)],
        ['expire', 59_000],
      ],
      [],
    ],
    [
      'a batch is its messages',
      [
        ['in', [request(1), request(2)]],
        ['out', [result(2), failure(1)]],
      ],
      ['2 result', '1 error'],
    ],
    [
      'ids used twice are answered in the order they came',
      [
        ['in', request(1)],
        ['in', request(1)],
        ['out', result(1)],
        ['out', failure(1)],
      ],
      ['1 result', '1 error'],
    ],
    [
      'progress is no answer',
      [
        ['in', request(1)],
        ['out', { jsonrpc: '2.0', method: 'notifications/progress', params: { progressToken: 1 } }],
      ],
      [],
    ],
    [
      'garbage is no message',
      [
        ['in', null],
        ['in', 'x'],
        ['in', { id: 1 }],
        ['out', { id: null, result: 1 }],
        ['in', request(null)],
        ['out', undefined],
      ],
      [],
    ],
  ];

  const rows = table.map(([because, steps, endings, facts = {}]) => ({ because, steps, endings, facts }));

  test.each(rows)('a call ends as expected because $because', ({ steps, endings, facts }) => {
    const { ended } = observeSteps(steps, facts);
    expect(
      ended.map(({ open, ending }) =>
        [open.requestId, ending.kind, ending.reason].filter((x) => x !== undefined && x !== '').join(' '),
      ),
    ).toEqual(endings);
  });

  test('the duration of a call runs from its request to its response', () => {
    const { ended, connection } = watch();
    connection.received(request(1), at(10));
    connection.sent(result(1), at(12.5));
    expect(ended[0]).toMatchObject({
      durationUs: 2_500,
      open: { startedAt: { wallUs: 1_700_000_000_010_000 } },
    });
  });

  test('a call is released once it ended', () => {
    const { observer, connection } = watch();
    connection.received(request(1), at(0));
    expect([observer.openCalls, connection.find(1)?.method]).toEqual([1, 'tools/call']);
    connection.sent(result(1), at(1));
    expect([observer.openCalls, connection.find(1)]).toEqual([0, undefined]);
  });

  test('the oldest open call is abandoned when 10,000 others are open', () => {
    const { observer, ended, connection } = watch();
    for (let id = 0; id <= 10_000; id += 1) connection.received(request(id), at(id));
    expect(observer.openCalls).toBe(10_000);
    expect(ended.map(({ open, ending }) => [open.requestId, ending.kind])).toEqual([[0, 'expired']]);
  });

  test('a call ends exactly once, whatever the order of responses, cancellations and the close', () => {
    const id = fc.oneof(fc.integer({ min: 0, max: 9 }), fc.integer({ min: 0, max: 9 }).map(String));
    const step = fc.oneof(
      id.map((x): Step => ['in', request(x)]),
      id.map((x): Step => ['out', result(x)]),
      id.map((x): Step => ['out', failure(x)]),
      id.map((x): Step => ['in', cancelled(x)]),
    );
    fc.assert(
      fc.property(fc.array(step, { maxLength: 60 }), (steps) => {
        const { ended, observer } = observeSteps([...steps, ['close']]);
        const opened = steps.filter(
          ([, message]) => (message as { method?: string }).method === 'tools/call',
        ).length;
        expect(ended.length).toBe(opened);
        expect(new Set(ended.map(({ open }) => open)).size).toBe(opened);
        expect(observer.openCalls).toBe(0);
      }),
    );
  });

  test('a call of one connection is never ended by another', () => {
    const { ended, connect } = watch();
    const [a, b] = [connect(), connect()];
    a.received(request(1), at(0));
    b.sent(result(1), at(1));
    b.received(cancelled(1), at(1));
    b.closed(at(1));
    expect(ended).toEqual([]);
  });
});

describe('implementation of client and server', () => {
  const hello = request(0, 'initialize', {
    protocolVersion: '2025-11-25',
    clientInfo: { name: 'cursor', version: '3' },
  });

  test('the client is known to calls pipelined after the handshake', () => {
    const { ended, connection } = watch();
    connection.received(hello, at(0));
    connection.received(request(1), at(0));
    connection.sent(result(1), at(1));
    connection.sent(result(0, { protocolVersion: '2025-06-18' }), at(2));
    connection.received(request(2), at(3));
    connection.sent(result(2), at(4));
    expect(
      ended.map(({ open, client, protocolVersion }) => [open.method, client.name, protocolVersion]),
    ).toEqual([
      ['tools/call', 'cursor', '2025-11-25'],
      ['initialize', 'cursor', '2025-06-18'],
      ['tools/call', 'cursor', '2025-06-18'],
    ]);
  });

  test('the client is read from each envelope, so one pipe may carry both protocol versions', () => {
    const { ended, connection } = watch();
    const envelope = {
      ...modern,
      _meta: { ...modern._meta, 'io.modelcontextprotocol/clientInfo': { name: 'zed', version: '9' } },
    };
    connection.received(hello, at(0));
    connection.sent(result(0, { protocolVersion: '2025-06-18' }), at(0));
    connection.received(request(1, 'tools/call', envelope), at(1));
    connection.received(request(2), at(1));
    connection.sent(result(1), at(2));
    connection.sent(result(2), at(2));
    expect(
      ended.slice(1).map(({ open, client, protocolVersion }) => [open.era, client.name, protocolVersion]),
    ).toEqual([
      ['modern', 'zed', '2026-07-28'],
      ['legacy', 'cursor', '2025-06-18'],
    ]);
  });

  test('the host may supply a client missing from the wire, and the header supplies the protocol version', () => {
    const { ended, connection } = watch({ transport: 'http' });
    connection.received(request(1), at(0), {
      client: { name: 'late', version: '' },
      protocolVersion: '2025-03-26',
    });
    connection.sent(result(1), at(1));
    expect(ended[0]).toMatchObject({ client: { name: 'late' }, protocolVersion: '2025-03-26' });
  });

  test('the server implementation is read from the wire if the host did not supply it', () => {
    const { ended, connection } = watch({ server: { name: '', version: '' } });
    connection.received(hello, at(0));
    connection.sent(result(0, { serverInfo: { name: 'everything', version: '2' } }), at(0));
    connection.received(request(1, 'tools/call', modern), at(1));
    connection.sent(
      result(1, { _meta: { 'io.modelcontextprotocol/serverInfo': { name: 'modern', version: '3' } } }),
      at(1),
    );
    expect(ended.map(({ server }) => server)).toEqual([
      { name: 'everything', version: '2' },
      { name: 'modern', version: '3' },
    ]);
  });

  test('the server has the name that the host gives it', () => {
    const { ended, connection } = watch({ serverName: 'mine' });
    connection.received(request(1), at(0));
    connection.sent(result(1), at(0));
    expect(ended[0]?.server).toEqual({ name: 'mine', version: '1' });
  });
});

describe('requests from the server', () => {
  const ask = request(1, 'sampling/createMessage', { messages: [] });

  function within(info: { relatedRequestId?: unknown; parent?: OpenCall<SpanIds> }, alsoOpen: boolean) {
    const { ended, connection } = watch();
    connection.received(request(1), at(0));
    if (alsoOpen) connection.received(request(2), at(0));
    connection.sent(ask, at(1), info);
    connection.received(result(1, { role: 'assistant' }), at(2));
    return { call: ended[0], ended, connection };
  }

  test('a request from the server is a call of its own, with ids of its own direction', () => {
    const { ended, connection } = within({}, false);
    connection.sent(result(1), at(3));
    expect(ended.map(({ open }) => [open.side, open.method])).toEqual([
      ['client', 'sampling/createMessage'],
      ['server', 'tools/call'],
    ]);
  });

  test('a request from the server belongs to the call that the SDK relates it to', () => {
    expect(within({ relatedRequestId: 2 }, true).call?.open.parent?.requestId).toBe(2);
  });

  test('the call whose handler sent a request comes before every other hint', () => {
    const { connection } = watch();
    const parent = connection.received(request(9), at(0));
    expect(
      within({ relatedRequestId: 2, ...(parent && { parent }) }, true).call?.open.parent?.requestId,
    ).toBe(9);
  });

  test('a request belongs to the only open call if there is no other hint', () => {
    expect(within({}, false).call?.open.parent?.requestId).toBe(1);
  });

  test('an ambiguous request from the server belongs to no call', () => {
    expect(within({}, true).call?.open.parent).toBeUndefined();
  });

  test('a request from the server shares the session, the plan and the span of its call', () => {
    const { ended, connection } = watch({ transport: 'http' });
    connection.received(request(1, 'tools/call', { _meta: { conversationId: 'c1', planId: 'p1' } }), at(0));
    connection.sent(ask, at(1));
    connection.received(failure(1), at(2));
    expect(ended[0]?.open).toMatchObject({
      session: { id: 'c1', source: 'meta' },
      planId: 'p1',
      ids: { parentSpanId: '1' },
    });
  });

  test('a request from the server can be cancelled by the server', () => {
    const { ended, connection } = watch();
    connection.sent(ask, at(0));
    connection.received(cancelled(1), at(1));
    expect(ended).toEqual([]);
    connection.sent(cancelled(1, 'McpError: MCP error -32001: Request timed out'), at(2));
    expect(ended[0]?.ending).toMatchObject({
      kind: 'cancelled',
      reason: expect.stringContaining('timed out'),
    });
  });
});

describe('observed catalogue', () => {
  const list = (id: number, cursor?: string) => request(id, 'tools/list', cursor ? { cursor } : undefined);
  const page = (id: number, names: string[], nextCursor?: string) =>
    result(id, { tools: names.map((name) => ({ name })), ...(nextCursor && { nextCursor }) });
  const names = (call: ObservedCall<SpanIds> | undefined) =>
    call?.snapshot?.catalogue().tools.map(({ name }) => name);

  test('a catalogue is complete when every page of one listing was seen', () => {
    const { ended } = observeSteps([
      ['in', list(1)],
      ['out', page(1, ['b'], 'x')],
      ['in', list(2, 'x')],
      ['out', page(2, ['a'])],
      ['in', request(3)],
      ['out', result(3)],
    ]);
    expect(ended.map(names)).toEqual([undefined, ['a', 'b'], ['a', 'b']]);
  });

  test('a catalogue is unknown when the observer joined in the middle of its listing', () => {
    const { ended } = observeSteps([
      ['in', list(2, 'x')],
      ['out', page(2, ['a'])],
      ['in', request(3)],
      ['out', result(3)],
    ]);
    expect(ended.map(names)).toEqual([undefined, undefined]);
  });

  test('pages of two connections are not combined into one catalogue', () => {
    const { ended, connect } = watch();
    const [a, b] = [connect(), connect()];
    a.received(list(1), at(0));
    a.sent(page(1, ['a'], 'x'), at(0));
    b.received(list(1, 'x'), at(1));
    b.sent(page(1, ['b']), at(1));
    expect(ended.map(names)).toEqual([undefined, undefined]);
  });

  test('the catalogue of a stateless server is known on its next connection, and its pages are combined', () => {
    const { ended, connect } = watch({ transport: 'http' });
    const steps = [
      [list(1), page(1, ['a'], 'x')],
      [list(1, 'x'), page(1, ['b'])],
      [request(1), result(1)],
    ] as const;
    for (const [asked, answered] of steps) {
      const connection = connect();
      connection.received(asked, at(0));
      connection.sent(answered, at(1));
    }
    expect(ended.map(names)).toEqual([undefined, ['a', 'b'], ['a', 'b']]);
  });

  test('the catalogue of another server does not apply to this one', () => {
    const { ended, connect } = watch();
    const other = connect({ server: { name: 'other', version: '1' } });
    other.received(list(1), at(0));
    other.sent(page(1, ['a']), at(0));
    const connection = connect();
    connection.received(request(1), at(1));
    connection.sent(result(1), at(1));
    expect(ended.map(names)).toEqual([['a'], undefined]);
  });

  test('a listing that could not be read leaves the last catalogue in place', () => {
    const { ended } = observeSteps([
      ['in', list(1)],
      ['out', page(1, ['a'])],
      ['in', list(2)],
      ['out', failure(2)],
      ['in', request(3)],
      ['out', result(3)],
    ]);
    expect(ended.map(names)).toEqual([['a'], undefined, ['a']]);
  });
});
