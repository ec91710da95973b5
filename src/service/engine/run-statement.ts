// Runs a statement on the right connection and returns bytes and counts. Reads go to the readers, everything
// else to the writer, so that changes are applied in order.

import type { Session } from 'chdb';
import { assertNoExternalAccess } from './assert-no-external-access.ts';
import type { ConnectionPool, ConnectionRole } from './connection-pool.ts';
import { parseInsert } from './parse-insert.ts';
import type { EngineRequest } from './read-request.ts';
import { renderParameters } from './render-parameters.ts';

export interface StatementResult {
  readonly body: Uint8Array;
  readonly readRows: number;
  readonly readBytes: number;
  readonly writtenRows: number;
  readonly writtenBytes: number;
  readonly elapsedSeconds: number;
}

const READ_STATEMENT =
  /^(?:\s|--[^\n]*\n|\/\*[\s\S]*?\*\/|\()*(?:SELECT|WITH|SHOW|DESCRIBE|DESC|EXPLAIN|EXISTS)\b/i;

/** @returns which lane a statement belongs to */
export function toConnectionRole(sql: string): ConnectionRole {
  return READ_STATEMENT.test(sql) ? 'read' : 'write';
}

/** @throws whatever the engine throws; StatementError for a parameter that does not fit, or what leaves the database */
export function runStatement(
  pool: ConnectionPool,
  { sql, rows, database, parameters }: EngineRequest,
  isWanted: () => boolean,
): Promise<StatementResult> {
  const statement = renderParameters(sql, parameters);
  assertNoExternalAccess(statement);
  const options = { role: toConnectionRole(statement), database, isWanted };
  return pool.run(
    (session) => (rows ? insertRows(session, statement, rows) : query(session, statement)),
    options,
  );
}

async function query(session: Session, sql: string): Promise<StatementResult> {
  const result = await session.queryAsync(sql, { format: 'TabSeparated' });
  return {
    body: result.bytes(),
    readRows: result.rowsRead,
    readBytes: result.bytesRead,
    writtenRows: 0,
    writtenBytes: 0,
    elapsedSeconds: result.elapsed,
  };
}

async function insertRows(session: Session, sql: string, rows: Buffer): Promise<StatementResult> {
  const insert = parseInsert(sql);
  if (!insert) return query(session, `${sql}\n${rows.toString('utf8')}`);
  const { table, columns, settings, format } = insert;
  const summary = await session.insert({
    table,
    // One of the four names that parseInsert's pattern lets through.
    format: format as 'JSONEachRow' | 'JSONCompactEachRow' | 'TabSeparated' | 'CSV',
    values: rows,
    settings,
    ...(columns && { columns }),
  });
  return {
    body: new Uint8Array(0),
    readRows: 0,
    readBytes: summary.bytesSent,
    writtenRows: summary.rowsWritten,
    writtenBytes: summary.bytesWritten,
    elapsedSeconds: summary.elapsed,
  };
}
