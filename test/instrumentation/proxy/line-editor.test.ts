// Lines are held only while an edit is pending; all bytes are forwarded in order.
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { createLineEditor } from '../../../src/instrumentation/proxy/line-editor.ts';

const upper = (line: Uint8Array) => Buffer.from(Buffer.from(line).toString().toUpperCase());

function editChunks(chunks: readonly string[], isWaiting: () => boolean, edit = upper, maxBytes = 100) {
  const editor = createLineEditor({ maxBytes, isHolding: isWaiting, edit });
  const text = (pieces: readonly Uint8Array[]) =>
    pieces.map((piece) => Buffer.from(piece).toString()).join('');
  const out = chunks.map((chunk) => text(editor.push(Buffer.from(chunk))));
  return [...out, text(editor.end())];
}

describe('line editor', () => {
  test.each<[string[], boolean, string[], string]>([
    [['a\nb', 'c\n'], false, ['a\nb', 'c\n', ''], 'nobody waits'],
    [['a\nb', 'c\n'], true, ['A\n', 'BC\n', ''], 'a line is held until it is whole'],
    [['a\r\n', 'b'], true, ['A\r\n', '', 'B'], 'the last line may have no end'],
    [['', '\n'], true, ['', '\n', ''], 'an empty line is one'],
  ])(
    'the chunks %j with an edit pending (%s) come out as %j, because %s',
    (chunks, waits, expected, _because) => {
      expect(editChunks(chunks, () => waits)).toEqual(expected);
    },
  );

  test('the rest of a line that was partly forwarded is forwarded too', () => {
    let waits = false;
    const editor = createLineEditor({ maxBytes: 100, isHolding: () => waits, edit: upper });
    expect(editor.push(Buffer.from('a')).length).toBe(1);
    waits = true;
    const out = Buffer.concat([...editor.push(Buffer.from('b\nc\nd'))]).toString();
    expect(out).toBe('b\nC\n');
    expect(Buffer.concat([...editor.end()]).toString()).toBe('D');
  });

  test('a line that is too long to hold is forwarded, and the next line is held', () => {
    const chunks = ['x'.repeat(8), 'y'.repeat(8), 'z\nab', 'c\n'];
    expect(editChunks(chunks, () => true, upper, 10)).toEqual(['', 'xxxxxxxxyyyyyyyy', 'z\n', 'ABC\n', '']);
  });

  test('a stream without edits comes out byte for byte, however it is split', () => {
    fc.assert(
      fc.property(fc.array(fc.string({ unit: fc.constantFrom('a', '\n', '\r', 'ü') })), (chunks) => {
        let asked = 0;
        const out = editChunks(
          chunks,
          () => asked++ % 3 === 0,
          (line) => Buffer.from(line),
          5,
        );
        expect(out.join('')).toBe(chunks.join(''));
      }),
    );
  });
});
