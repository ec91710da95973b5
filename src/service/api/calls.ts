// `GET /api/v1/calls`: the rows behind any number. As JSON a page at a time; as CSV, NDJSON or OTLP/JSON the whole range in
// one answer, page by page from the store, unless a limit asks for one page. An export that fails half-way is cut off
// rather than ended, so that it cannot be mistaken for a whole one.

import { once } from 'node:events';
import { type Request, type Response, Router } from 'express';
import { CallRow, CallsAnswer } from '../../contract/answers.ts';
import { CallsQuery } from '../../contract/query.ts';
import { UserError } from '../../errors.ts';
import { formatCsvLine } from './csv.ts';
import { MOST_OTLP_CALLS, writeOtlpDocument } from './otlp-document.ts';
import type { Questions, Resolved } from './questions-port.ts';
import { readQuery, resolveTimes } from './read-query.ts';
import type { ResourceContext } from './resource.ts';

const EXPORT_PAGE = 1000;

const COLUMNS = Object.keys(CallRow.shape);

interface Exporting {
  readonly questions: Questions;
  readonly query: Resolved<CallsQuery>;
  /** One page only, and then told where the next one begins. */
  readonly isPage: boolean;
  readonly onEnd: (nextCursor: string | null) => void;
}

/** How one format writes calls: the pieces of its text. */
interface ExportFormat {
  readonly contentType: string;
  readonly write: (exporting: Exporting) => AsyncIterable<string>;
}

/** By the name that `Accept` gives. */
export const EXPORT_FORMATS: Readonly<Record<string, ExportFormat>> = {
  'text/csv': {
    contentType: 'text/csv; charset=utf-8; header=present',
    write: (exporting) =>
      writeLines(exporting, {
        head: formatCsvLine(COLUMNS),
        line: (row) => formatCsvLine(Object.values(pick(row))),
      }),
  },
  'application/x-ndjson': {
    contentType: 'application/x-ndjson; charset=utf-8',
    write: (exporting) => writeLines(exporting, { head: '', line: (row) => `${JSON.stringify(row)}\n` }),
  },
  'application/x-otlp+json': { contentType: 'application/x-otlp+json', write: writeOtlp },
};

/** What the OpenAPI document says of it. */
export const CALLS = {
  path: '/api/v1/calls',
  name: 'calls',
  summary: 'The calls behind any number, newest first: JSON by page; CSV, NDJSON and OTLP/JSON whole.',
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

async function sendPage(req: Request, res: Response, { format, ...asked }: Export): Promise<void> {
  let text = '';
  let next: string | null = null;
  const onEnd = (cursor: string | null) => {
    next = cursor;
  };
  for await (const piece of format.write({ ...asked, isPage: true, onEnd })) text += piece;
  if (next !== null) res.set('Link', `<${nextUrl(req, next)}>; rel="next"`);
  res.set('Content-Type', format.contentType).send(Buffer.from(text));
}

async function sendAll(res: Response, { format, questions, query }: Export): Promise<void> {
  const whole = { questions, query: { ...query, limit: EXPORT_PAGE }, isPage: false, onEnd: () => undefined };
  for await (const piece of format.write(whole)) {
    if (res.destroyed) return;
    // Only with the first piece: what fails before it is still an error of its own.
    if (!res.headersSent) res.set('Content-Type', format.contentType);
    if (!res.write(piece)) await Promise.race([once(res, 'drain'), once(res, 'close')]);
  }
  res.end();
}

interface Lines {
  readonly head: string;
  readonly line: (row: CallRow) => string;
}

async function* writeLines(exporting: Exporting, { head, line }: Lines): AsyncGenerator<string> {
  let before = head;
  const { calls } = exporting.questions;
  for await (const rows of readPages(exporting, calls)) {
    yield before + rows.map(line).join('');
    before = '';
  }
}

/** @throws UserError QUESTION_TOO_LARGE when it would be more than a receiver takes of one request */
async function* writeOtlp(exporting: Exporting): AsyncGenerator<string> {
  const { questions, query, isPage } = exporting;
  const count = isPage ? 0 : await questions.countCalls(query);
  if (count > MOST_OTLP_CALLS) {
    throw new UserError(
      'QUESTION_TOO_LARGE',
      `An OTLP document holds at most ${MOST_OTLP_CALLS} calls, and these are ${count}.`,
      { hint: 'Ask for a shorter range, filter it, or ask for pages with "limit" and "cursor".' },
    );
  }
  yield* writeOtlpDocument(readPages(exporting, questions.wholeCalls));
}

type AskPage<T> = (
  query: Resolved<CallsQuery>,
) => Promise<{ readonly calls: readonly T[]; readonly nextCursor: string | null }>;

/** At least one page, which may be empty. */
async function* readPages<T>(
  { query, isPage, onEnd }: Exporting,
  ask: AskPage<T>,
): AsyncGenerator<readonly T[]> {
  let cursor = query.cursor;
  for (;;) {
    const { calls, nextCursor } = await ask({ ...query, cursor });
    yield calls;
    if (isPage || nextCursor === null) return onEnd(nextCursor);
    cursor = nextCursor;
  }
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
