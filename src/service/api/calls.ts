// `GET /api/v1/calls`: the rows behind any number. JSON is paged; CSV, NDJSON and OTLP/JSON stream the whole
// range page by page unless a limit requests a single page. A failed export is aborted rather than ended, so
// that it cannot be mistaken for a complete one.

import { once } from 'node:events';
import { type Request, type Response, Router } from 'express';
import type { Queries, ResolvedQuery } from '../../contract/queries.ts';
import { CallsQuery } from '../../contract/query.ts';
import { CallRow, CallsResponse } from '../../contract/responses.ts';
import { UserError } from '../../errors.ts';
import { formatCsvLine } from './csv.ts';
import { formatOtlpDocument, MAX_OTLP_CALLS } from './otlp-document.ts';
import { parseQuery, resolveTimeRange } from './parse-query.ts';
import type { ResourceContext } from './resource.ts';

const EXPORT_PAGE_SIZE = 1000;

const EXPORT_COLUMNS = Object.keys(CallRow.shape);

interface CallExport {
  readonly queries: Queries;
  readonly query: ResolvedQuery<CallsQuery>;
  /** One page only, and then told where the next one begins. */
  readonly isPage: boolean;
  readonly onEnd: (nextCursor: string | null) => void;
}

/** How one format writes calls: the pieces of its text. */
interface ExportFormat {
  readonly contentType: string;
  readonly write: (exporting: CallExport) => AsyncIterable<string>;
}

/** By the name that `Accept` gives. */
export const EXPORT_FORMATS: Readonly<Record<string, ExportFormat>> = {
  'text/csv': {
    contentType: 'text/csv; charset=utf-8; header=present',
    write: (exporting) =>
      writeLines(exporting, {
        headerLine: formatCsvLine(EXPORT_COLUMNS),
        formatLine: (row) => formatCsvLine(Object.values(pickColumns(row))),
      }),
  },
  'application/x-ndjson': {
    contentType: 'application/x-ndjson; charset=utf-8',
    write: (exporting) =>
      writeLines(exporting, { headerLine: '', formatLine: (row) => `${JSON.stringify(row)}\n` }),
  },
  'application/x-otlp+json': { contentType: 'application/x-otlp+json', write: writeOtlp },
};

/** What the OpenAPI document says of it. */
export const CALLS_RESOURCE = {
  path: '/api/v1/calls',
  name: 'calls',
  summary: 'The calls behind any number, newest first: JSON by page; CSV, NDJSON and OTLP/JSON whole.',
  query: CallsQuery,
  responseSchema: CallsResponse,
} as const;

export function createCallsRouter({ queries: getQueries, now }: ResourceContext): Router {
  const router = Router();
  router.get(CALLS_RESOURCE.path, async function getCalls(req, res) {
    const queries = getQueries();
    const query = resolveTimeRange(parseQuery(CallsQuery, req.query), now());
    res.vary('Accept').set('Cache-Control', 'no-store');
    const format = EXPORT_FORMATS[req.accepts(['application/json', ...Object.keys(EXPORT_FORMATS)]) || ''];
    if (format === undefined) res.json(await queries.calls(query));
    else if (req.query['limit'] === undefined) await sendAll(res, { format, queries, query });
    else await sendPage(req, res, { format, queries, query });
  });
  return router;
}

interface ExportRequest {
  readonly format: ExportFormat;
  readonly queries: Queries;
  readonly query: ResolvedQuery<CallsQuery>;
}

async function sendPage(req: Request, res: Response, { format, ...request }: ExportRequest): Promise<void> {
  let text = '';
  let next: string | null = null;
  const onEnd = (cursor: string | null) => {
    next = cursor;
  };
  for await (const piece of format.write({ ...request, isPage: true, onEnd })) text += piece;
  if (next !== null) res.set('Link', `<${toNextUrl(req, next)}>; rel="next"`);
  res.set('Content-Type', format.contentType).send(Buffer.from(text));
}

async function sendAll(res: Response, { format, queries, query }: ExportRequest): Promise<void> {
  const exportAll = {
    queries,
    query: { ...query, limit: EXPORT_PAGE_SIZE },
    isPage: false,
    onEnd: () => undefined,
  };
  for await (const piece of format.write(exportAll)) {
    if (res.destroyed) return;
    // Only with the first piece: what fails before it is still an error of its own.
    if (!res.headersSent) res.set('Content-Type', format.contentType);
    if (!res.write(piece)) await Promise.race([once(res, 'drain'), once(res, 'close')]);
  }
  res.end();
}

interface LineFormat {
  readonly headerLine: string;
  readonly formatLine: (row: CallRow) => string;
}

async function* writeLines(
  exporting: CallExport,
  { headerLine, formatLine }: LineFormat,
): AsyncGenerator<string> {
  let before = headerLine;
  const { calls } = exporting.queries;
  for await (const rows of readPages(exporting, calls)) {
    yield before + rows.map(formatLine).join('');
    before = '';
  }
}

/** @throws UserError QUESTION_TOO_LARGE when it would be more than a receiver takes of one request */
async function* writeOtlp(exporting: CallExport): AsyncGenerator<string> {
  const { queries, query, isPage } = exporting;
  const count = isPage ? 0 : await queries.countCalls(query);
  if (count > MAX_OTLP_CALLS) {
    throw new UserError(
      'QUESTION_TOO_LARGE',
      `An OTLP document holds at most ${MAX_OTLP_CALLS} calls, and these are ${count}.`,
      { hint: 'Ask for a shorter range, filter it, or ask for pages with "limit" and "cursor".' },
    );
  }
  yield* formatOtlpDocument(readPages(exporting, queries.exportCalls));
}

type ReadPage<T> = (
  query: ResolvedQuery<CallsQuery>,
) => Promise<{ readonly calls: readonly T[]; readonly nextCursor: string | null }>;

/** At least one page, which may be empty. */
async function* readPages<T>(
  { query, isPage, onEnd }: CallExport,
  readPage: ReadPage<T>,
): AsyncGenerator<readonly T[]> {
  let cursor = query.cursor;
  for (;;) {
    const { calls, nextCursor } = await readPage({ ...query, cursor });
    yield calls;
    if (isPage || nextCursor === null) return onEnd(nextCursor);
    cursor = nextCursor;
  }
}

function toNextUrl(req: Request, cursor: string): string {
  const url = new URL(req.originalUrl, 'http://localhost');
  url.searchParams.set('cursor', cursor);
  return `${url.pathname}${url.search}`;
}

/** In the order of the columns, whatever order the row was built in. */
function pickColumns(row: CallRow): Record<string, unknown> {
  const values = new Map<string, unknown>(Object.entries(row));
  return Object.fromEntries(EXPORT_COLUMNS.map((column) => [column, values.get(column)]));
}
