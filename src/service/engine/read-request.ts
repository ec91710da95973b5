// Parses an HTTP request like ClickHouse's HTTP interface does: the statement is in `query` or in the body; if it is
// in `query`, the body has the rows of an INSERT. Settings in the URL are refused unless they have no effect here: in
// chDB they would apply to later statements of the connection.

import type { IncomingMessage } from 'node:http';
import { promisify } from 'node:util';
import { gunzip } from 'node:zlib';
import { StatementError } from './statement-error.ts';

export interface EngineRequest {
  readonly sql: string;
  /** Rows of an INSERT; undefined when the statement stood in the body. */
  readonly rows: Buffer | undefined;
  readonly database: string;
  readonly parameters: ReadonlyMap<string, string>;
  readonly queryId: string;
}

/** About HTTP itself, or about waiting for a server that answers early: without meaning for a buffered answer. */
const IGNORED_PARAMETERS = new Set([
  'wait_end_of_query',
  'enable_http_compression',
  'http_zlib_compression_level',
  'send_progress_in_http_headers',
  'http_headers_progress_interval_ms',
  'http_write_exception_in_output_format',
  'cancel_http_readonly_queries_on_client_close',
  'default_format',
]);

const MAX_BODY_BYTES = 256 * 1024 * 1024;
const inflate = promisify(gunzip);

const SUPPORT_IS_DISABLED = { code: 344, type: 'SUPPORT_IS_DISABLED' };
const TOO_LARGE = { code: 307, type: 'TOO_MANY_BYTES' };

/** @throws StatementError for a setting in the URL, an encoding we do not take, or a body over 256 MiB */
export async function readRequest(request: IncomingMessage): Promise<EngineRequest> {
  const search = new URL(request.url ?? '/', 'http://engine').searchParams;
  const parameters = new Map<string, string>();
  for (const [key, value] of search) {
    if (key.startsWith('param_')) parameters.set(key.slice('param_'.length), value);
    else if (!isKnownParameter(key))
      throw new StatementError(SUPPORT_IS_DISABLED, `Setting ${key} must be in the SQL text, not in the URL`);
  }
  const body = await readBody(request);
  const query = search.get('query');
  return {
    sql: query ?? body.toString('utf8'),
    rows: query === null || body.length === 0 ? undefined : body,
    database: search.get('database') ?? 'default',
    parameters,
    queryId: search.get('query_id') ?? '',
  };
}

function isKnownParameter(key: string): boolean {
  return key === 'query' || key === 'query_id' || key === 'database' || IGNORED_PARAMETERS.has(key);
}

async function readBody(request: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let length = 0;
  for await (const chunk of request) {
    length += chunk.length;
    if (length > MAX_BODY_BYTES) throw new StatementError(TOO_LARGE, 'The request body is too large');
    chunks.push(chunk);
  }
  const body = Buffer.concat(chunks, length);
  const encoding = request.headers['content-encoding'] ?? 'identity';
  if (encoding === 'identity') return body;
  if (encoding !== 'gzip')
    throw new StatementError(SUPPORT_IS_DISABLED, `Content-Encoding ${encoding} is not supported, only gzip`);
  return inflate(body, { maxOutputLength: MAX_BODY_BYTES });
}
