// Connections that want nothing but to be there, over real sockets: each is closed, and the next good request works.
import { connect, type Socket } from 'node:net';
import { expect, onTestFinished, test, vi } from 'vitest';
import { type ConnectionLimits, listen } from '../../src/service/listen.ts';

const LIMITS: ConnectionLimits = {
  headersMs: 200,
  requestMs: 400,
  idleMs: 200,
  connections: 3,
  checkEveryMs: 20,
};

async function serve(limits: Partial<ConnectionLimits> = {}): Promise<Serving> {
  const { server, port } = await listen(
    (req, res) => {
      req.resume();
      if (req.method === 'GET') res.end('here');
      else req.once('end', () => res.end('read'));
    },
    { host: '127.0.0.1', port: 0, limits: { ...LIMITS, ...limits } },
  );
  onTestFinished(async () => {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  });
  return {
    port,
    async get() {
      // A process that has to wait for its turn would be as slow as those that are closed.
      server.headersTimeout = 60_000;
      server.requestTimeout = 60_000;
      const answer = await fetch(`http://127.0.0.1:${port}/`, { headers: { connection: 'close' } });
      return answer.text();
    },
  };
}

interface Serving {
  readonly port: number;
  /** A good request. */
  get(): Promise<string>;
}

interface Caller {
  readonly socket: Socket;
  readonly closed: Promise<string>;
}

/** A connection that notes what it hears until it is closed. */
async function call(port: number): Promise<Caller> {
  const socket = connect(port, '127.0.0.1');
  onTestFinished(() => void socket.destroy());
  let heard = '';
  socket.on('data', (bytes: Buffer) => {
    heard += bytes.toString();
  });
  const closed = new Promise<string>((resolve) => {
    socket.on('error', () => undefined);
    socket.on('close', () => resolve(heard));
  });
  await new Promise((resolve) => socket.once('connect', resolve));
  return { socket, closed };
}

test('a connection that says nothing is closed', async () => {
  const { port, get } = await serve();
  const { closed } = await call(port);
  await closed;
  expect(await get()).toBe('here');
});

test('a head that drips is answered 408 and closed', async () => {
  const { port, get } = await serve();
  const { socket, closed } = await call(port);
  socket.write('GET / HTTP/1.1\r\nHost: localhost\r\n');
  const drip = setInterval(() => socket.writable && socket.write('X-Drip: 1\r\n'), 30);
  onTestFinished(() => clearInterval(drip));
  expect(await closed).toMatch(/^HTTP\/1.1 408 /);
  expect(await get()).toBe('here');
});

test('a body that drips is closed too', async () => {
  const { port, get } = await serve();
  const { socket, closed } = await call(port);
  socket.write('POST / HTTP/1.1\r\nHost: localhost\r\nContent-Length: 100000\r\n\r\n');
  const drip = setInterval(() => socket.writable && socket.write('.'), 30);
  onTestFinished(() => clearInterval(drip));
  expect(await closed).not.toContain('read');
  expect(await get()).toBe('here');
});

test('a kept connection is closed once it has been idle', async () => {
  const { port } = await serve({ headersMs: 60_000, requestMs: 60_000 });
  const { socket, closed } = await call(port);
  socket.write('GET / HTTP/1.1\r\nHost: localhost\r\n\r\n');
  expect(await closed).toContain('here');
});

test('a connection beyond the limit is closed, and there is room again when others end', async () => {
  const { port, get } = await serve({ headersMs: 60_000, requestMs: 60_000 });
  const kept = [await call(port), await call(port), await call(port)];
  const surplus = await call(port);
  expect(await surplus.closed).toBe('');
  for (const { socket } of kept) socket.destroy();
  await vi.waitFor(async () => expect(await get()).toBe('here'), { timeout: 40_000 });
});
