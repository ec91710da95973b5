// `GET /api/v1/calls` in formats other than JSON. CSV, NDJSON and OTLP/JSON stream the whole range page by page
// unless a limit requests a single page. A failed export is aborted rather than ended, so that it cannot be
// mistaken for a complete one.

import { once } from 'node:events';
import { type Request, type Response, Router } from 'express';
import { CallRow, CallsQuery } from '../../contract/calls.ts';
import type { Handlers, ResourceRequest } from '../../contract/queries.ts';
import { API_PATH, RESOURCES } from '../../contract/resources.ts';
import { UserError } from '../../errors.ts';
import { formatCsvLine } from './csv.ts';
import { formatOtlpDocument, MAX_OTLP_CALLS } from './otlp-document.ts';
import { parseQuery, resolveTimeRange } from './parse-query.ts';
import type { RouterContext } from './resource-router.ts';

const EXPORT_PAGE_SIZE = 1000;

const EXPORT_COLUMNS = Object.keys(CallRow.shape);

interface CallExport {
  readonly handlers: Pick<Handlers, 'calls' | 'exportCalls' | 'countCalls'>;
  readonly query: ResourceRequest<'calls'>;
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

/** Passes on requests that accept JSON. */
export function createCallsExportRouter({ handlers, now }: RouterContext): Router {
  const router = Router();
  router.get(API_PATH + RESOURCES.calls.path, async function exportCalls(req, res, next) {
    res.vary('Accept');
    const format = EXPORT_FORMATS[req.accepts(['application/json', ...Object.keys(EXPORT_FORMATS)]) || ''];
    if (format === undefined) return next();
    const query = resolveTimeRange(parseQuery(CallsQuery, req.query), now());
    res.set('Cache-Control', 'no-store');
    const request = { format, handlers: handlers(), query };
    if (req.query['limit'] === undefined) await sendAll(res, request);
    else await sendPage(req, res, request);
  });
  return router;
}

interface ExportRequest extends Pick<CallExport, 'handlers' | 'query'> {
  readonly format: ExportFormat;
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

async function sendAll(res: Response, { format, handlers, query }: ExportRequest): Promise<void> {
  const exportAll = {
    handlers,
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
  const { calls } = exporting.handlers;
  for await (const rows of readPages(exporting, calls)) {
    yield before + rows.map(formatLine).join('');
    before = '';
  }
}

/** @throws UserError QUERY_TOO_LARGE for more calls than a receiver accepts in one request */
async function* writeOtlp(exporting: CallExport): AsyncGenerator<string> {
  const { handlers, query, isPage } = exporting;
  const count = isPage ? 0 : await handlers.countCalls(query);
  if (count > MAX_OTLP_CALLS) {
    throw new UserError(
      'QUERY_TOO_LARGE',
      `An OTLP document holds at most ${MAX_OTLP_CALLS} calls; ${count} match.`,
      { hint: 'Shorten the range, add a filter, or request pages with "limit" and "cursor".' },
    );
  }
  yield* formatOtlpDocument(readPages(exporting, handlers.exportCalls));
}

type ReadPage<T> = (
  query: ResourceRequest<'calls'>,
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
