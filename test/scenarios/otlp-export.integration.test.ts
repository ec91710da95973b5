// An OTLP export sent to an empty service restores the same calls in every stored column, whichever emitter they came from.
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { CallsResponse } from '../../src/contract/calls.ts';
import { toSpan } from '../../src/core/dialects/toolscope-span.ts';
import type { ToolCall } from '../../src/core/model/tool-call.ts';
import { encodeTracesJson } from '../../src/core/otlp/encode-json.ts';
import { exampleCall } from '../service/ingest/example-call.ts';
import { type RunningService, startService, until } from '../support/service.ts';
import { documentOf, goodSpan } from './hostile-otlp-cases.ts';

const FOREIGN = 5;

/** One field of a call differs from the next. */
const CALLS: readonly Partial<ToolCall>[] = [
  {},
  { outcome: 'ok', fault: 'none', errorCode: '', errorType: '', errorMessage: '', errorArgument: '' },
  {
    outcome: 'invalid_arguments',
    fault: 'client',
    errorCode: '-32602',
    errorMessage: 'limit must be <= <n>',
  },
  { outcome: 'cancelled', fault: 'none', errorCode: '', transport: 'stdio', sessionSource: 'connection' },
  {
    side: 'client',
    method: 'sampling/createMessage',
    toolName: '',
    outcome: 'protocol_error',
    errorCode: '-32603',
  },
  { method: 'resources/read', toolName: '', target: 'file', sessionId: '', sessionSource: 'none' },
  {
    method: 'prompts/get',
    toolName: '',
    target: 'greet',
    sessionSource: 'meta',
    parentSpanId: '00f067aa0ba902b7',
  },
  {
    environment: '',
    clientName: '',
    clientVersion: '',
    protocolVersion: '',
    planId: '',
    principal: 'ab12ab12ab12ab12',
  },
  { argumentFingerprints: {}, argumentsFingerprint: '', argumentsMaskedFingerprint: '', argumentsShape: '' },
  { attributes: {}, durationUs: 0, catalogueHash: '', resultBytes: 0, serverName: 'files' },
];

let sourceService: RunningService;
let targetService: RunningService;

beforeAll(async () => {
  [sourceService, targetService] = await Promise.all([startService(), startService()]);
}, 180_000);

afterAll(async () => {
  await Promise.all([sourceService?.stop(), targetService?.stop()]);
});

const digits = (value: number, length: number): string => value.toString(16).padStart(length, '0');

async function exported({ base }: RunningService, accept: string): Promise<string> {
  const response = await fetch(`${base}/api/v1/calls?from=now-7d`, { headers: { accept } });
  expect(response.status).toBe(200);
  return response.text();
}

async function waitFor(service: RunningService, count: number): Promise<void> {
  await until(async () => {
    const { calls } = await service.ask<CallsResponse>('calls?from=now-7d&limit=1000');
    return calls.length === count ? true : undefined;
  });
}

interface Document {
  readonly resourceSpans: readonly {
    readonly resource: unknown;
    readonly scopeSpans: readonly { readonly spans: readonly { readonly spanId: string }[] }[];
  }[];
}

/** Every span with its resource, in the order of their ids: how they are grouped says nothing. */
function spansOf(text: string) {
  const { resourceSpans } = JSON.parse(text) as Document; // what is compared is all of it
  return resourceSpans
    .flatMap(({ resource, scopeSpans }) =>
      scopeSpans.flatMap(({ spans }) => spans.map((span) => ({ resource, span }))),
    )
    .sort((a, b) => (a.span.spanId < b.span.spanId ? -1 : 1));
}

test('an OTLP export sent to an empty service restores the same calls', async () => {
  const nowUs = (Date.now() - 60_000) * 1_000;
  const own = CALLS.map((over, at) =>
    exampleCall({
      ...{ traceId: digits(at + 1, 32), spanId: digits(at + 1, 16), startedAtUs: nowUs + at },
      ...{ argumentsShape: '{"query":"string:3"}', argumentFingerprints: { query: '8000000000000000' } },
      ...over,
    }),
  );
  const foreign = Array.from({ length: FOREIGN }, () => goodSpan());
  const sent = encodeTracesJson(own.map((call) => toSpan({ call })));
  await sourceService.post(sent);
  await sourceService.post(JSON.stringify(documentOf(foreign, 'elsewhere')));
  await waitFor(sourceService, CALLS.length + FOREIGN);

  const document = await exported(sourceService, 'application/x-otlp+json');
  expect(spansOf(document)).toHaveLength(CALLS.length + FOREIGN);
  // Those of our own dialect are exported as they were sent: nothing is missing on either side.
  expect(spansOf(document).slice(0, CALLS.length)).toEqual(spansOf(sent));
  const taken = await targetService.post(document);
  expect([taken.status, await taken.json()]).toEqual([200, {}]);
  await waitFor(targetService, CALLS.length + FOREIGN);

  expect(spansOf(await exported(targetService, 'application/x-otlp+json'))).toEqual(spansOf(document));
  const rows = (text: string) => text.trimEnd().split('\n').sort();
  const ndjson = 'application/x-ndjson';
  expect(rows(await exported(targetService, ndjson))).toEqual(rows(await exported(sourceService, ndjson)));
});
