// Calls as one OTLP/JSON document: a request that any receiver of traces takes, ours too, which makes the same calls of it
// again. It is written page by page, so it is held to what a receiver takes of one request.

import { toSpan } from '../../core/dialects/toolscope.ts';
import type { ToolCall } from '../../core/model/tool-call.ts';
import { encodeTracesJson } from '../../core/otlp/encode-json.ts';

/** A call takes some 2 kB and 70 parts; a request may hold 64 MiB and a million parts. */
export const MOST_OTLP_CALLS = 10_000;

const START = '{"resourceSpans":[';
const END = ']}';

/** The document in pieces, one a page; pages without calls add nothing. */
export async function* writeOtlpDocument(pages: AsyncIterable<readonly ToolCall[]>): AsyncGenerator<string> {
  let before = START;
  for await (const calls of pages) {
    if (calls.length === 0) continue;
    const document = encodeTracesJson(calls.map((call) => toSpan({ call })));
    yield before + document.slice(START.length, -END.length);
    before = ',';
  }
  yield before === START ? START + END : END;
}
