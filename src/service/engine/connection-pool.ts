// The engine's connections: one that only writes, four that only read. One chDB connection is serial, so a page that
// takes six seconds must not stand in front of an insert or of another page.

import type { Session } from 'chdb';
import { StatementError } from './statement-error.ts';

export type Lane = 'read' | 'write';

/** What runs on one connection; nothing else runs there until it settles. */
export type Job<T> = (session: Session) => Promise<T>;

interface Connection {
  readonly session: Session;
  /** What the session's `USE` said last. */
  database: string;
  busy: boolean;
}

interface Waiting {
  readonly database: string;
  readonly isWanted: () => boolean;
  readonly start: (connection: Connection) => Promise<void>;
  readonly refuse: (error: Error) => void;
}

export interface JobOptions {
  readonly lane: Lane;
  readonly database: string;
  /** Asked when the turn comes: nobody waits any more for a closed request. */
  readonly isWanted: () => boolean;
}

const READERS = 4;
/** Beyond this a reader is told to come back rather than made to wait for minutes. */
const MAX_WAITING = 256;

const TOO_MANY = { code: 202, type: 'TOO_MANY_SIMULTANEOUS_QUERIES' };
const CANCELLED = { code: 394, type: 'QUERY_WAS_CANCELLED' };
const UNKNOWN_DATABASE = { code: 81, type: 'UNKNOWN_DATABASE' };

export class ConnectionPool {
  readonly #connections: Readonly<Record<Lane, readonly Connection[]>>;
  readonly #waiting: Readonly<Record<Lane, Waiting[]>> = { read: [], write: [] };
  #onIdle: (() => void) | undefined;

  /** @param open makes one connection to the data directory; throws when another process holds it */
  constructor(open: () => Session) {
    const connect = (): Connection => ({ session: open(), database: 'default', busy: false });
    const write = [connect()];
    this.#connections = { write, read: Array.from({ length: READERS }, connect) };
  }

  /** Runs a job on a free connection of its lane, in order of arrival. */
  run<T>(job: Job<T>, { lane, database, isWanted }: JobOptions): Promise<T> {
    const waiting = this.#waiting[lane];
    if (waiting.length >= MAX_WAITING)
      return Promise.reject(new StatementError(TOO_MANY, `${waiting.length} queries are waiting already`));
    return new Promise<T>((resolve, reject) => {
      waiting.push({
        database,
        isWanted,
        refuse: reject,
        start: (connection) => job(connection.session).then(resolve, reject),
      });
      this.#next(lane);
    });
  }

  /** Resolves when nothing runs and nothing waits. */
  idle(): Promise<void> {
    return new Promise((resolve) => {
      this.#onIdle = resolve;
      this.#reportIdle();
    });
  }

  /** Call only when idle: closing a connection during an operation aborts the engine for the whole process. */
  close(): void {
    for (const { session } of this.#all()) session.close();
  }

  #all(): Connection[] {
    return [...this.#connections.write, ...this.#connections.read];
  }

  #next(lane: Lane): void {
    const connection = this.#connections[lane].find(({ busy }) => !busy);
    const next = connection && this.#waiting[lane].shift();
    if (!connection || !next) {
      this.#reportIdle();
      return;
    }
    if (!next.isWanted()) {
      next.refuse(new StatementError(CANCELLED, 'The client went away before the query started'));
      this.#next(lane);
      return;
    }
    connection.busy = true;
    void this.#serve(connection, next).finally(() => {
      connection.busy = false;
      this.#next(lane);
    });
  }

  async #serve(connection: Connection, next: Waiting): Promise<void> {
    try {
      await selectDatabase(connection, next.database);
    } catch (error) {
      next.refuse(error instanceof Error ? error : new Error(String(error)));
      return;
    }
    await next.start(connection);
  }

  #reportIdle(): void {
    if (this.#all().some(({ busy }) => busy)) return;
    if (this.#waiting.read.length + this.#waiting.write.length > 0) return;
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
