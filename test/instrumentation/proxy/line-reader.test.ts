import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { createLineReader } from '../../../src/instrumentation/proxy/line-reader.ts';
import { createMessageTap } from '../../../src/instrumentation/proxy/message-tap.ts';
import { OUTLINED_BYTES } from '../../../src/instrumentation/proxy/outlined-message.ts';

/** Lines read from bytes that come in pieces cut at the given places. */
function read(bytes: Uint8Array, cuts: readonly number[], maxBytes = 1_000) {
  const lines: string[] = [];
  const long: string[] = [];
  let pieces = '';
  const reader = createLineReader({
    maxBytes,
    onLine: (line) => lines.push(Buffer.from(line).toString()),
    onLongPiece: (piece) => {
      pieces += Buffer.from(piece);
    },
    onLongEnd: (length) => {
      expect(pieces.length).toBe(length);
      long.push(pieces);
      pieces = '';
    },
    onLongPassed: () => expect.unreachable(),
    onBroken: () => expect.unreachable(),
  });
  const places = [0, ...[...cuts].sort((a, b) => a - b), bytes.length];
  for (let at = 1; at < places.length; at += 1) reader.push(bytes.subarray(places[at - 1], places[at]));
  reader.end();
  return { lines, long };
}

describe('line reader', () => {
  test('lines are the same however their bytes were split', () => {
    const text = fc
      .array(fc.string({ unit: 'grapheme', maxLength: 20 }), { maxLength: 8 })
      .map((all) => all.join('\n'));
    fc.assert(
      fc.property(text, fc.array(fc.nat(200), { maxLength: 10 }), (whole, cuts) => {
        const bytes = Buffer.from(whole);
        const inside = cuts.map((cut) => cut % (bytes.length + 1));
        expect(read(bytes, inside).lines).toEqual(whole.split('\n').filter((line) => line !== ''));
      }),
    );
  });

  test.each<[string, string[], string[], string]>([
    ['12345\n123456\n1\n', ['12345', '1'], ['123456'], 'one beyond the limit comes in pieces'],
    ['123456789012345', [], ['123456789012345'], 'the limit holds without a newline too'],
    ['1234567\n7654321\n', [], ['1234567', '7654321'], 'each is one'],
    ['\n\n', [], [], 'an empty line is no line'],
  ])(
    '%j with at most 5 bytes per line gives the lines %j and the long lines %j, because %s',
    (text, expected, long, _because) => {
      const everyByte = Array.from(text, (_, at) => at);
      for (const cuts of [[], everyByte]) {
        expect(read(Buffer.from(text), cuts, 5)).toEqual({ lines: expected, long });
      }
    },
  );

  test.each([
    [['ab', null, 'c\nd\n'], ['broken', 'd'], 'the line that was on its way is not known'],
    [[null, 'c\nd\n'], ['broken', 'd'], 'nor is the one in which they end'],
    [['a\n', null], ['a', 'broken'], 'the end ends it too'],
    [['123456789', null, '0\nx\n'], ['broken', 'x'], 'a long one is broken as well'],
  ])('%j with missing bytes is read as %j, because %s', (chunks, expected, _because) => {
    const seen: string[] = [];
    const reader = createLineReader({
      maxBytes: 5,
      onLine: (line) => seen.push(Buffer.from(line).toString()),
      onLongPiece: () => {},
      onLongPassed: () => expect.unreachable(),
      onLongEnd: () => seen.push('long'),
      onBroken: () => seen.push('broken'),
    });
    for (const chunk of chunks) {
      if (chunk === null) reader.skip();
      else reader.push(Buffer.from(chunk));
    }
    reader.end();
    expect(seen).toEqual(expected);
  });

  test('bytes left out in the middle of a line count, and its ends are read as pieces', () => {
    const seen: string[] = [];
    const reader = createLineReader({
      maxBytes: 10,
      onLine: (line) => seen.push(`line ${Buffer.from(line)}`),
      onLongPiece: (piece) => seen.push(`piece ${Buffer.from(piece)}`),
      onLongPassed: () => seen.push('passed'),
      onLongEnd: (length) => seen.push(`end ${length}`),
      onBroken: () => seen.push('broken'),
    });
    reader.push(Buffer.from('a\nhead'));
    reader.pass(100);
    reader.push(Buffer.from('tail\nb\n'));
    expect(seen).toEqual(['line a', 'piece head', 'passed', 'piece tail', 'end 108', 'line b']);
  });

  test('reading a line of many pieces takes time proportional to its length', () => {
    const piece = Buffer.alloc(64, 'x');
    let length = 0;
    const reader = createLineReader({
      maxBytes: 16 * 1024 * 1024,
      onLine: (line) => {
        length = line.length;
      },
      onLongPiece: () => expect.unreachable(),
      onLongPassed: () => expect.unreachable(),
      onLongEnd: () => expect.unreachable(),
      onBroken: () => expect.unreachable(),
    });
    for (let at = 0; at < 200_000; at += 1) reader.push(piece);
    reader.push(Buffer.from('\n'));
    expect(length).toBe(200_000 * 64);
  });
});

describe('message reader', () => {
  function tap(text: string) {
    const messages: unknown[] = [];
    const reader = createMessageTap((message) => messages.push(message));
    reader.read(Buffer.from(text));
    reader.end();
    return { messages, unread: reader.unread };
  }

  test.each<[string, unknown[], number, string]>([
    ['{"id":1}\n', [{ id: 1 }], 0, 'plain'],
    ['{"id":1}\r\n', [{ id: 1 }], 0, 'CRLF is white space'],
    ['  [1]\n', [[1]], 0, 'a batch of the 2025-03-26 protocol is an array'],
    ['{"id":1}', [{ id: 1 }], 0, 'the last line may have no end'],
    ['\n \r\n', [], 0, 'nothing is nothing'],
    ['Server listening\n{"id":1}\n', [{ id: 1 }], 1, 'a banner is only counted'],
    ['{"id":\n', [], 1, 'half a message is only counted'],
    ['5\n', [], 1, 'a number is no message'],
  ])('%j is read as %j, because %s', (text, messages, unread, _because) => {
    expect(tap(text)).toEqual({ messages, unread });
  });

  test.each<[string, unknown, string]>([
    ['{"jsonrpc":"2.0","id":7,"result":{"content":[PAD],"isError":true}}', 7, 'the id may stand first'],
    ['{"result":{"content":[PAD]},"jsonrpc":"2.0","id":"last"}', 'last', 'or last'],
  ])('a long message is read in outline: %s, because %s', (line, id, _because) => {
    for (const pad of [`"${'x'.repeat(1_100_000)}"`, `${'{},'.repeat(25_000)}{}`]) {
      const { messages, unread } = tap(`${line.replace('PAD', pad)}\n{"id":8}\n`);
      expect(messages).toEqual([expect.objectContaining({ id, result: expect.anything() }), { id: 8 }]);
      expect(unread).toBe(0);
    }
  });

  test('each of several long messages is read, however early its outline is complete', () => {
    const pad = 'x'.repeat(1_100_000);
    const lines = [
      `{"id":1,"method":"tools/call","params":{"name":"t","arguments":"${pad}"}}`,
      `{"method":"notifications/message","params":"${pad}"}`,
      `{"method":"tools/call","params":{"name":"u","arguments":"${pad}"},"id":2}`,
    ];
    const messages: unknown[] = [];
    const reader = createMessageTap((message) => messages.push(message));
    const bytes = Buffer.from(`${lines.join('\n')}\n`);
    for (let at = 0; at < bytes.length; at += 65_536) reader.read(bytes.subarray(at, at + 65_536));
    expect(messages).toMatchObject([
      { id: 1, method: 'tools/call', params: { name: 't', [OUTLINED_BYTES]: lines[0]?.length } },
      { method: 'notifications/message' },
      { id: 2, method: 'tools/call', params: { name: 'u', [OUTLINED_BYTES]: lines[2]?.length } },
    ]);
  });

  test('a message whose reading fails is counted, and the next one is read', () => {
    const seen: unknown[] = [];
    const reader = createMessageTap((message) => {
      seen.push(message);
      throw new Error('ours');
    });
    reader.read(Buffer.from('{"a":1}\n{"b":1}\n'));
    expect([seen.length, reader.unread]).toEqual([2, 2]);
  });
});
