// `GET /api/v1/calls`: the rows behind any number. As JSON a page at a time; as CSV or NDJSON the whole range in one
// answer, page by page from the store, unless a limit asks for one page. An export that fails half-way is cut off
// rather than ended, so that it cannot be mistaken for a whole one.

import { once } from 'node:events';
import { type Request, type Response, Router } from 'express';
import { CallRow, CallsAnswer } from '../../contract/answers.ts';
import { CallsQuery } from '../../contract/query.ts';
import { formatCsvLine } from './csv.ts';
import type { Questions, Resolved } from './questions-port.ts';
import { readQuery, resolveTimes } from './read-query.ts';
import type { ResourceContext } from './resource.ts';

const EXPORT_PAGE = 1000;

const COLUMNS = Object.keys(CallRow.shape);

/** How one format writes rows. */
interface ExportFormat {
  readonly contentType: string;
  readonly head: string;
  readonly line: (row: CallRow) => string;
}

/** By the name that `Accept` gives. */
export const EXPORT_FORMATS: Readonly<Record<string, ExportFormat>> = {
  'text/csv': {
    contentType: 'text/csv; charset=utf-8; header=present',
    head: formatCsvLine(COLUMNS),
    line: (row) => formatCsvLine(Object.values(pick(row))),
  },
  'application/x-ndjson': {
    contentType: 'application/x-ndjson; charset=utf-8',
    head: '',
    line: (row) => `${JSON.stringify(row)}\n`,
  },
};

/** What the OpenAPI document says of it. */
export const CALLS = {
  path: '/api/v1/calls',
  name: 'calls',
  summary: 'The calls behind any number, newest first: JSON by page, CSV and NDJSON whole.',
  query: CallsQuery,
  answer: CallsAnswer,
} as const;

export function createCallsRouter({ questions: whom, now }: ResourceContext): Router {
  const router = Router();
  router.get(CALLS.path, async function answerCalls(req, res) {
    const questions = whom();
    const query = resolveTimes(readQuery(CallsQuery, req.query), now());
    res.vary('Accept').set('Cache-Control', 'no-store');
    const format = EXPORT_FORMATS[req.accepts(['application/json', ...Object.keys(EXPORT_FORMATS)]) || ''];
    if (format === undefined) res.json(await questions.calls(query));
    else if (req.query['limit'] === undefined) await sendAll(res, { format, questions, query });
    else await sendPage(req, res, { format, questions, query });
  });
  return router;
}

interface Export {
  readonly format: ExportFormat;
  readonly questions: Questions;
  readonly query: Resolved<CallsQuery>;
}

async function sendPage(req: Request, res: Response, { format, questions, query }: Export): Promise<void> {
  const page = await questions.calls(query);
  if (page.nextCursor !== null) res.set('Link', `<${nextUrl(req, page.nextCursor)}>; rel="next"`);
  res.type(format.contentType).send(format.head + page.calls.map(format.line).join(''));
}

async function sendAll(res: Response, { format, questions, query }: Export): Promise<void> {
  let page = await questions.calls({ ...query, limit: EXPORT_PAGE });
  res.type(format.contentType);
  res.write(format.head);
  for (;;) {
    const wantsMore = res.write(page.calls.map(format.line).join(''));
    if (page.nextCursor === null || res.destroyed) break;
    if (!wantsMore) await Promise.race([once(res, 'drain'), once(res, 'close')]);
    page = await questions.calls({ ...query, limit: EXPORT_PAGE, cursor: page.nextCursor });
  }
  res.end();
}

function nextUrl(req: Request, cursor: string): string {
  const url = new URL(req.originalUrl, 'http://localhost');
  url.searchParams.set('cursor', cursor);
  return `${url.pathname}${url.search}`;
}

/** In the order of the columns, whatever order the row was built in. */
function pick(row: CallRow): Record<string, unknown> {
  const values = new Map<string, unknown>(Object.entries(row));
  return Object.fromEntries(COLUMNS.map((column) => [column, values.get(column)]));
}
