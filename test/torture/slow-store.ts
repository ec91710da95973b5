// A ClickHouse that takes only so many rows a second: the real engine behind a door that lets inserts through at a pace and
// everything else at once. What floods a large server in life floods this one on a small machine.
import { createServer, type IncomingMessage, request, type Server, type ServerResponse } from 'node:http';
import { setTimeout as pause } from 'node:timers/promises';

export interface SlowStore {
  /** With the engine's credentials, as `CLICKHOUSE_URL` takes them. */
  readonly url: string;
  /** Rows that were let through so far. */
  readonly rows: number;
  /** From now on everything passes at once. */
  open(): void;
  close(): Promise<void>;
}

export interface SlowStoreOptions {
  readonly url: string;
  readonly username: string;
  readonly password: string;
  readonly rowsPerSecond: number;
}

export async function startSlowStore(options: SlowStoreOptions): Promise<SlowStore> {
  let rows = 0;
  let isOpen = false;
  let freeAt = 0;
  async function pass(req: IncomingMessage, res: ServerResponse): Promise<void> {
    const body = await readAll(req);
    if ((req.url ?? '').includes('INSERT')) {
      const lines = countLines(body);
      const mayPassAt = Math.max(Date.now(), freeAt) + (lines / options.rowsPerSecond) * 1_000;
      freeAt = mayPassAt;
      while (!isOpen && !res.destroyed && Date.now() < mayPassAt) await pause(50);
      if (res.destroyed) {
        // Whoever gave up comes again, and must not wait for what never passed.
        freeAt = Date.now();
        return;
      }
      rows += lines;
    }
    forward(req, { res, body, to: options.url });
  }
  const server = createServer((req, res) => void pass(req, res).catch(() => res.destroy()));
  const port = await listen(server);
  return {
    url: `http://${options.username}:${options.password}@127.0.0.1:${port}`,
    get rows() {
      return rows;
    },
    open: () => {
      isOpen = true;
    },
    close: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

function countLines(body: Buffer): number {
  let lines = 0;
  for (let at = body.indexOf(10); at !== -1; at = body.indexOf(10, at + 1)) lines += 1;
  return lines;
}

async function readAll(req: IncomingMessage): Promise<Buffer> {
  const parts: Buffer[] = [];
  for await (const part of req) parts.push(part);
  return Buffer.concat(parts);
}

interface ForwardTarget {
  readonly res: ServerResponse;
  readonly body: Buffer;
  readonly to: string;
}

function forward(req: IncomingMessage, { res, body, to }: ForwardTarget): void {
  const { 'transfer-encoding': _, ...headers } = req.headers;
  const onward = request(new URL(req.url ?? '/', to), {
    method: req.method ?? 'GET',
    // A connection that was kept may be closed by the engine at the very moment it is used again.
    agent: false,
    headers: { ...headers, 'content-length': body.length },
  });
  onward.on('response', (answer) => {
    res.writeHead(answer.statusCode ?? 502, answer.headers);
    answer.pipe(res);
  });
  onward.on('error', () => res.destroy());
  onward.end(body);
}

async function listen(server: Server): Promise<number> {
  server.listen(0, '127.0.0.1');
  await new Promise((resolve) => server.once('listening', resolve));
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('The system gave no port.');
  return address.port;
}
