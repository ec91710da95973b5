// Writes calls as one OTLP/JSON document that any trace receiver, including this service, accepts as one
// request. It is written page by page and limited to the size of one request.

import { toSpan } from '../../core/dialects/toolscope-span.ts';
import type { ToolCall } from '../../core/model/tool-call.ts';
import { encodeTracesJson } from '../../core/otlp/encode-json.ts';

/** A call takes some 2 kB and 70 parts; a request may hold 64 MiB and a million parts. */
export const MAX_OTLP_CALLS = 10_000;

const DOCUMENT_START = '{"resourceSpans":[';
const DOCUMENT_END = ']}';

/** The document in pieces, one a page; pages without calls add nothing. */
export async function* formatOtlpDocument(pages: AsyncIterable<readonly ToolCall[]>): AsyncGenerator<string> {
  let before = DOCUMENT_START;
  for await (const calls of pages) {
    if (calls.length === 0) continue;
    const document = encodeTracesJson(calls.map((call) => toSpan({ call })));
    yield before + document.slice(DOCUMENT_START.length, -DOCUMENT_END.length);
    before = ',';
  }
  yield before === DOCUMENT_START ? DOCUMENT_START + DOCUMENT_END : DOCUMENT_END;
}
