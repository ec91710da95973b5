// The hook itself, on transports made for it: what it may never do to one.
import { describe, expect, test } from 'vitest';
import {
  hookTransport,
  type TransportListener,
} from '../../../src/instrumentation/wrapper/hook-transport.ts';
import type { TransportShape } from '../../../src/instrumentation/wrapper/sdk-shapes.ts';
import { detectTransportKind } from '../../../src/instrumentation/wrapper/transport-kind.ts';

function createListener() {
  const heard: unknown[] = [];
  const listener: TransportListener = {
    received: (message) => {
      heard.push(['in', message]);
      return undefined;
    },
    sent: (message) => void heard.push(['out', message]),
    onClosed: () => void heard.push('closed'),
  };
  return { heard, listener };
}

class FakeTransport implements TransportShape {
  onmessage?: TransportShape['onmessage'];
  onclose?: TransportShape['onclose'];
  readonly #secret = 'private';
  readonly sent: unknown[] = [];

  start(): string {
    return `started ${this.#secret}`;
  }

  send(message: unknown): string {
    this.sent.push(message);
    return `sent ${this.#secret}`;
  }
}

/** Connects as both SDKs do: chain the callbacks that are there, then start. */
function connect(transport: FakeTransport, name: string, got: unknown[]): unknown {
  const { onmessage } = transport;
  transport.onmessage = (...parameters) => {
    onmessage?.apply(undefined, parameters);
    got.push([name, ...parameters]);
  };
  return transport.start();
}

describe('hooked transport', () => {
  test('a hooked transport starts and sends with its own this, private fields included', () => {
    const { heard, listener } = createListener();
    const transport = new FakeTransport();
    hookTransport(transport, () => listener, false);
    expect([connect(transport, 'a', []), transport.send('m')]).toEqual(['started private', 'sent private']);
    expect(heard).toEqual([['out', 'm']]);
    expect(Object.hasOwn(transport, 'start')).toBe(false);
  });

  test('each message is observed once, though a second connect chains the first callback', () => {
    const { heard, listener } = createListener();
    const transport = new FakeTransport();
    const got: unknown[] = [];
    hookTransport(transport, () => listener, false);
    connect(transport, 'a', got);
    hookTransport(transport, () => listener, false);
    connect(transport, 'b', got);
    const message = { id: 1 };
    transport.onmessage?.(message, 'extra', 'more');
    expect(heard).toEqual([['in', message]]);
    expect(got).toEqual([
      ['a', message, 'extra', 'more'],
      ['b', message, 'extra', 'more'],
    ]);
  });

  test('the same message received again is observed again', () => {
    const { heard, listener } = createListener();
    const transport = new FakeTransport();
    hookTransport(transport, () => listener, false);
    connect(transport, 'a', []);
    const message = { id: 1 };
    transport.onmessage?.(message);
    transport.onmessage?.(message);
    expect(heard.length).toBe(2);
  });

  test('an exception of the host, undefined included, is rethrown, and observation continues', () => {
    const { heard, listener } = createListener();
    const transport = new FakeTransport();
    transport.onmessage = () => {
      throw undefined;
    };
    hookTransport(transport, () => listener, true);
    for (const message of ['a', 'b']) {
      let thrown: unknown = 'nothing';
      try {
        transport.onmessage?.(message);
      } catch (error) {
        thrown = error;
      }
      expect(thrown).toBeUndefined();
    }
    expect(heard).toEqual([
      ['in', 'a'],
      ['in', 'b'],
    ]);
  });

  test('a listener that throws does not affect the transport', () => {
    const fail = () => {
      throw new Error('ours');
    };
    const transport = new FakeTransport();
    const got: unknown[] = [];
    let closed = 0;
    transport.onclose = () => {
      closed += 1;
    };
    hookTransport(transport, () => ({ received: fail, sent: fail, onClosed: fail }), false);
    connect(transport, 'a', got);
    transport.onmessage?.('m');
    transport.onclose();
    expect([got, transport.send('x'), closed]).toEqual([[['a', 'm']], 'sent private', 1]);
  });

  test('a transport with accessors instead of fields is observed once per message', () => {
    const { heard, listener } = createListener();
    const inner = new FakeTransport();
    const outer = {
      start: () => inner.start(),
      send: (message: unknown) => inner.send(message),
      get onmessage() {
        return inner.onmessage;
      },
      set onmessage(handler) {
        inner.onmessage = handler;
      },
    } as TransportShape;
    hookTransport(outer, () => listener, false);
    outer.onmessage = () => 'answered';
    outer.start();
    expect(inner.onmessage?.('m')).toBe('answered');
    expect(heard).toEqual([['in', 'm']]);
  });
});

describe('transport kind', () => {
  const named = (name: string) => new (Object.defineProperty(class {}, 'name', { value: name }))();

  test.each([
    ['its pipe', { _stdin: {} }, 'stdio'],
    ['the wire behind it', { _wire: {} }, 'stdio'],
    ['the other end of its pair', { _otherTransport: {} }, 'memory'],
    ['how it takes requests', { handleRequest() {} }, 'http'],
    ['how it takes posts', { handlePostMessage() {} }, 'sse'],
    ['its name', named('StdioServerTransport'), 'stdio'],
    ['its name', named('InMemoryTransport'), 'memory'],
    ['its name', named('MyStreamableHttpTransport'), 'http'],
    ['nothing', named('Carrier'), ''],
    ['nothing, not even a class', Object.create(null), ''],
  ])('a transport is recognised by %s', (_what, transport, kind) => {
    expect(detectTransportKind(transport)).toBe(kind);
  });
});

/** Takes its callbacks through setters and shows none, as some frameworks do. */
class WriteOnlyTransport {
  #onmessage: ((message: unknown) => void) | undefined;
  #onclose: (() => void) | undefined;

  set onmessage(handler: (message: unknown) => void) {
    this.#onmessage = handler;
  }

  set onclose(handler: () => void) {
    this.#onclose = handler;
  }

  start(): void {}

  send(): void {}

  receive(message: unknown): void {
    this.#onmessage?.(message);
  }

  close(): void {
    this.#onclose?.();
  }
}

describe('transport whose callbacks can be set but not read', () => {
  function connectTo(transport: WriteOnlyTransport, got: unknown[]): void {
    transport.onclose = () => got.push('closed');
    transport.onmessage = (message) => got.push(message);
    transport.start();
  }

  test('such a transport is observed and keeps every callback of its server', () => {
    const { heard, listener } = createListener();
    const transport = new WriteOnlyTransport();
    const got: unknown[] = [];
    hookTransport(transport as never, () => listener, false);
    connectTo(transport, got);
    transport.receive('m');
    transport.close();
    expect(got).toEqual(['m', 'closed']);
    expect(heard).toEqual([['in', 'm'], 'closed']);
    // As it was: nothing can be read of it.
    expect(Reflect.get(transport, 'onmessage')).toBeUndefined();
  });

  test('such a transport that is already connected keeps its callbacks but is not observed', () => {
    const { heard, listener } = createListener();
    const transport = new WriteOnlyTransport();
    const got: unknown[] = [];
    connectTo(transport, got);
    hookTransport(transport as never, () => listener, true);
    transport.receive('m');
    transport.close();
    expect(got).toEqual(['m', 'closed']);
    expect(heard).toEqual([]);
  });

  test('such a transport may define callbacks on itself and may lack one of them', () => {
    const { heard, listener } = createListener();
    const transport = new WriteOnlyTransport();
    const got: unknown[] = [];
    Object.defineProperty(transport, 'onclose', {
      configurable: true,
      set: (handler: () => void) => got.push(['own', typeof handler]),
    });
    hookTransport(transport as never, () => listener, false);
    connectTo(transport, got);
    transport.receive('m');
    expect(got).toEqual([['own', 'function'], 'm']);
    expect(heard).toEqual([['in', 'm']]);
  });
});
