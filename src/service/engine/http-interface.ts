// The part of ClickHouse's HTTP interface that `@clickhouse/client` uses, in front of the connection pool.
// Responses are fully buffered, so a failure is always a status and never a truncated body.

import { createHash, timingSafeEqual } from 'node:crypto';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { ConnectionPool } from './connection-pool.ts';
import { readRequest } from './read-request.ts';
import { runStatement, type StatementResult } from './run-statement.ts';
import { StatementError, toHttpStatus, toStatementError } from './statement-error.ts';

export interface Credentials {
  readonly username: string;
  readonly password: string;
}

/** A URL carries the parameters of a look-up of many calls; Node's own limit is 16 kB. */
const MAX_HEADER_BYTES = 1024 * 1024;
/** Longer than the client keeps an idle socket (2.5 s), so it is never the one surprised by a closed one. */
const KEEP_ALIVE_MS = 10_000;

export interface HttpInterface {
  /** Not listening yet. */
  readonly server: Server;
  /** Refuses what is new; resolves when the last byte of every answer is on its way. */
  drain(): Promise<void>;
}

export function createHttpInterface(pool: ConnectionPool, credentials: Credentials): HttpInterface {
  const server = createServer({ maxHeaderSize: MAX_HEADER_BYTES, keepAliveTimeout: KEEP_ALIVE_MS });
  const openResponses = new Set<ServerResponse>();
  let onDrained: (() => void) | undefined;
  server.on('request', (request, response) => {
    if (onDrained) {
      writeError(request, response, new StatementError(ABORTED, 'The engine is stopping'));
      return;
    }
    openResponses.add(response);
    // Emitted when all of it was handed over or its client is gone; an answer that has ended may still be in memory.
    response.once('close', () => {
      openResponses.delete(response);
      if (openResponses.size === 0) onDrained?.();
    });
    void respond(request, response, { pool, credentials });
  });
  const drain = (): Promise<void> =>
    new Promise((resolve) => {
      onDrained = resolve;
      if (openResponses.size === 0) resolve();
    });
  return { server, drain };
}

const ABORTED = { code: 236, type: 'ABORTED' };

interface HttpInterfaceContext {
  readonly pool: ConnectionPool;
  readonly credentials: Credentials;
}

async function respond(
  request: IncomingMessage,
  response: ServerResponse,
  context: HttpInterfaceContext,
): Promise<void> {
  if (request.url === '/ping') {
    response.end('Ok.\n');
    return;
  }
  try {
    authenticate(request, context.credentials);
    const engineRequest = await readRequest(request);
    writeResult(
      response,
      await runStatement(context.pool, engineRequest, () => !response.destroyed),
      engineRequest.queryId,
    );
  } catch (thrown) {
    writeError(request, response, toStatementError(thrown));
  }
}

const SUMMARY_HEADER = 'X-ClickHouse-Summary';

function writeResult(response: ServerResponse, result: StatementResult, queryId: string): void {
  const summary = {
    read_rows: String(result.readRows),
    read_bytes: String(result.readBytes),
    written_rows: String(result.writtenRows),
    written_bytes: String(result.writtenBytes),
    elapsed_ns: String(Math.round(result.elapsedSeconds * 1e9)),
  };
  response.writeHead(200, {
    'Content-Type': 'text/plain; charset=UTF-8',
    'X-ClickHouse-Query-Id': encodeURIComponent(queryId),
    [SUMMARY_HEADER]: JSON.stringify(summary),
  });
  response.end(result.body);
}

function writeError(request: IncomingMessage, response: ServerResponse, error: StatementError): void {
  if (response.destroyed || response.headersSent) return;
  // An unread body would otherwise be taken for the next request on this socket.
  if (!request.complete) response.setHeader('Connection', 'close');
  response.writeHead(toHttpStatus(error), {
    'Content-Type': 'text/plain; charset=UTF-8',
    'X-ClickHouse-Exception-Code': String(error.code),
  });
  response.end(error.format());
}

function authenticate(request: IncomingMessage, { username, password }: Credentials): void {
  const given = readCredentials(request);
  if (!given)
    throw new StatementError(
      { code: 194, type: 'REQUIRED_PASSWORD' },
      'This engine answers only with its password',
    );
  const isValid =
    isEqualConstantTime(given.username, username) && isEqualConstantTime(given.password, password);
  if (!isValid)
    throw new StatementError(
      { code: 516, type: 'AUTHENTICATION_FAILED' },
      'Authentication failed: password is incorrect, or there is no user with such name',
    );
}

function readCredentials({ headers }: IncomingMessage): Credentials | undefined {
  const user = headers['x-clickhouse-user'];
  const key = headers['x-clickhouse-key'];
  if (typeof user === 'string' && typeof key === 'string') return { username: user, password: key };
  const basic = /^Basic ([A-Za-z0-9+/=]+)$/.exec(headers.authorization ?? '')?.[1];
  if (basic === undefined) return undefined;
  const text = Buffer.from(basic, 'base64').toString('utf8');
  const colon = text.indexOf(':');
  return { username: text.slice(0, colon), password: text.slice(colon + 1) };
}

/** In constant time, whatever the lengths. */
function isEqualConstantTime(a: string, b: string): boolean {
  const digest = (text: string): Buffer => createHash('sha256').update(text).digest();
  return timingSafeEqual(digest(a), digest(b));
}
