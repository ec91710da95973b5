// What is read of a message whose middle was left out.
import { expect, test } from 'vitest';
import { createLineSkimmer } from '../../../src/instrumentation/proxy/line-skimmer.ts';
import { createMessageTap } from '../../../src/instrumentation/proxy/message-tap.ts';

const LINE_BYTES = 4_000_000;
const CHUNK_BYTES = 65_536;

/** The messages in lines that come in chunks, as the observer of a pipe reads them. */
function readLines(lines: readonly string[]): { readonly messages: unknown[]; readonly unread: number } {
  const messages: unknown[] = [];
  const skimmer = createLineSkimmer();
  const tap = createMessageTap((message) => messages.push(message));
  const bytes = Buffer.from(lines.map((line) => `${line}\n`).join(''));
  for (let at = 0; at < bytes.length; at += CHUNK_BYTES)
    for (const part of skimmer.push(bytes.subarray(at, at + CHUNK_BYTES))) {
      if (part.kind === 'bytes') tap.read(part.bytes);
      else tap.pass(part.length);
    }
  tap.end();
  return { messages, unread: tap.unread };
}

const filling = 'x'.repeat(LINE_BYTES);
const content = [{ type: 'text', text: filling }];

test.each<[object, object, because: string]>([
  [{ jsonrpc: '2.0', id: 7, result: { content } }, { id: 7, result: {} }, 'the id comes first'],
  [{ result: { content }, jsonrpc: '2.0', id: 7 }, { id: 7, result: {} }, 'the id comes last'],
  [
    { result: { content, isError: true }, id: 'a' },
    { id: 'a', result: { isError: true } },
    'so does the error',
  ],
  [
    { error: { message: 'too large', data: filling, code: -32_000 }, id: 8 },
    { id: 8, error: { code: -32_000, message: 'too large' } },
    'an error has a code at either end',
  ],
  [
    { method: 'tools/call', params: { arguments: { filling }, name: 'store' }, jsonrpc: '2.0', id: 9 },
    { id: 9, method: 'tools/call', params: { name: 'store' } },
    'the tool comes after its arguments',
  ],
])('a long message is read from its ends: %#', (message, expected) => {
  const next = { jsonrpc: '2.0', id: 10, result: {} };
  const { messages, unread } = readLines([JSON.stringify(message), JSON.stringify(next)]);
  expect(messages).toMatchObject([expected, next]);
  expect(unread).toBe(0);
});
