// The engine's connections: one that only writes, four that only read. One chDB connection is serial, so a page that
// takes six seconds must not stand in front of an insert or of another page.

import type { Session } from 'chdb';
import { StatementError } from './statement-error.ts';

export type ConnectionRole = 'read' | 'write';

/** What runs on one connection; nothing else runs there until it settles. */
export type SessionTask<T> = (session: Session) => Promise<T>;

interface Connection {
  readonly session: Session;
  /** What the session's `USE` said last. */
  database: string;
  busy: boolean;
}

interface QueuedTask {
  readonly database: string;
  readonly isWanted: () => boolean;
  readonly run: (connection: Connection) => Promise<void>;
  readonly reject: (error: Error) => void;
}

export interface SessionTaskOptions {
  readonly role: ConnectionRole;
  readonly database: string;
  /** Checked when its turn comes: a closed request is skipped. */
  readonly isWanted: () => boolean;
}

const READER_COUNT = 4;
/** Beyond this, reads are refused for a retry instead of waiting for minutes. */
const MAX_QUEUED = 256;

const TOO_MANY_QUERIES = { code: 202, type: 'TOO_MANY_SIMULTANEOUS_QUERIES' };
const CANCELLED = { code: 394, type: 'QUERY_WAS_CANCELLED' };
const UNKNOWN_DATABASE = { code: 81, type: 'UNKNOWN_DATABASE' };

export class ConnectionPool {
  readonly #connections: Readonly<Record<ConnectionRole, readonly Connection[]>>;
  readonly #queues: Readonly<Record<ConnectionRole, QueuedTask[]>> = { read: [], write: [] };
  #onIdle: (() => void) | undefined;

  /** @param open makes one connection to the data directory; throws when another process holds it */
  constructor(open: () => Session) {
    const connect = (): Connection => ({ session: open(), database: 'default', busy: false });
    const write = [connect()];
    this.#connections = { write, read: Array.from({ length: READER_COUNT }, connect) };
  }

  /** Runs a job on a free connection of its lane, in order of arrival. */
  run<T>(task: SessionTask<T>, { role, database, isWanted }: SessionTaskOptions): Promise<T> {
    const queue = this.#queues[role];
    if (queue.length >= MAX_QUEUED)
      return Promise.reject(
        new StatementError(TOO_MANY_QUERIES, `${queue.length} queries are waiting already`),
      );
    return new Promise<T>((resolve, reject) => {
      queue.push({
        database,
        isWanted,
        reject: reject,
        run: (connection) => task(connection.session).then(resolve, reject),
      });
      this.#next(role);
    });
  }

  /** Resolves when nothing runs and nothing waits. */
  idle(): Promise<void> {
    return new Promise((resolve) => {
      this.#onIdle = resolve;
      this.#notifyIfIdle();
    });
  }

  /** Call only when idle: closing a connection during an operation aborts the engine for the whole process. */
  close(): void {
    for (const { session } of this.#all()) session.close();
  }

  #all(): Connection[] {
    return [...this.#connections.write, ...this.#connections.read];
  }

  #next(role: ConnectionRole): void {
    const connection = this.#connections[role].find(({ busy }) => !busy);
    const next = connection && this.#queues[role].shift();
    if (!connection || !next) {
      this.#notifyIfIdle();
      return;
    }
    if (!next.isWanted()) {
      next.reject(new StatementError(CANCELLED, 'The client went away before the query started'));
      this.#next(role);
      return;
    }
    connection.busy = true;
    void this.#runTask(connection, next).finally(() => {
      connection.busy = false;
      this.#next(role);
    });
  }

  async #runTask(connection: Connection, next: QueuedTask): Promise<void> {
    try {
      await selectDatabase(connection, next.database);
    } catch (error) {
      next.reject(error instanceof Error ? error : new Error(String(error)));
      return;
    }
    await next.run(connection);
  }

  #notifyIfIdle(): void {
    if (this.#all().some(({ busy }) => busy)) return;
    if (this.#queues.read.length + this.#queues.write.length > 0) return;
    this.#onIdle?.();
  }
}

async function selectDatabase(connection: Connection, database: string): Promise<void> {
  if (connection.database === database) return;
  if (!/^\w+$/.test(database))
    throw new StatementError(UNKNOWN_DATABASE, 'Database name is not a plain word');
  await connection.session.queryAsync(`USE ${database}`);
  connection.database = database;
}
