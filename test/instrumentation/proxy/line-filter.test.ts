import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { createLineInterleaver } from '../../../src/instrumentation/proxy/forward-lines.ts';
import { createLineFilter } from '../../../src/instrumentation/proxy/line-filter.ts';

/** Text of a few characters that matter here, cut into chunks anywhere. */
const chunks = fc.array(
  fc.string({ unit: fc.constantFrom('a', 'x', '\n', '\r', 'é') }).map((text) => Buffer.from(text)),
);

const linesOf = (text: string): string[] => text.match(/[^\n]*\n|[^\n]+$/g) ?? [];

type FilterOptions = Parameters<typeof createLineFilter>[0];

/** Nobody opens a long line. */
const SHORT: Pick<FilterOptions, 'maxBytes' | 'maxHeldBytes' | 'createLongLineFilter'> = {
  maxBytes: 1_000,
  maxHeldBytes: 2_000,
  createLongLineFilter: () => expect.unreachable(),
};

/** What passes of a text that is split into pieces. */
function passedText(pieces: readonly Uint8Array[], options: FilterOptions): string {
  const gate = createLineFilter(options);
  const whole = Buffer.concat(pieces);
  let at = 0;
  let out = '';
  for (const { length, passes } of [...pieces.flatMap((piece) => gate.push(piece)), ...gate.end()]) {
    if (passes) out += whole.toString('latin1', at, at + length);
    at += length;
  }
  expect(at).toBe(whole.length);
  return Buffer.from(out, 'latin1').toString();
}

/** Text with the brace that a message has. */
const messages = fc.array(
  fc.string({ unit: fc.constantFrom('a', 'x', '{', '\n', '\r', 'é') }).map((text) => Buffer.from(text)),
);

describe('line filter', () => {
  test('each line is passed or held back as a whole, however it is split', () => {
    fc.assert(
      fc.property(messages, (pieces) => {
        const isKept = (line: string): boolean => line.includes('{') && line.includes('x');
        const out = passedText(pieces, {
          ...SHORT,
          accepts: (line) => !isKept(Buffer.from(line).toString()),
        });
        const lines = linesOf(Buffer.concat(pieces).toString());
        expect(out).toBe(lines.filter((line) => !isKept(line)).join(''));
      }),
    );
  });

  test('lines that hold no message are passed without a decision', () => {
    const asked: string[] = [];
    const admits = (line: Uint8Array) => asked.push(Buffer.from(line).toString()) > 0;
    const pieces = ['1\n\n[]\n{"a":1}\n2\n', '3\n4'].map((text) => Buffer.from(text));
    expect(passedText(pieces, { ...SHORT, accepts: admits })).toBe('1\n\n[]\n{"a":1}\n2\n3\n4');
    expect(asked).toEqual(['{"a":1}\n', '4']);
  });

  test.each([
    ['x', 'abcdefxhi\n', '', 'it is kept back from its start, as soon as that is known'],
    ['p', 'abcdefphi\n', 'abcdefphi\n', 'it passes whole'],
    ['?', 'abc{efghi\n', 'abc{efghi\n', 'it passes when too much of it would have to be held'],
  ])(
    'the filter decides about a long line in pieces: at "%s" of %j it passes %j, because %s',
    (_at, text, expected, _because) => {
      const asked: string[] = [];
      const out = passedText(
        [...`${text}{}\n`].map((byte) => Buffer.from(byte)),
        {
          maxBytes: 4,
          maxHeldBytes: 8,
          accepts: (line) => asked.push(Buffer.from(line).toString()) > 0,
          createLongLineFilter: () => ({
            read: (piece) =>
              piece.includes('x'.charCodeAt(0)) ? false : piece.includes('p'.charCodeAt(0)) || undefined,
            end: (length) => length === 10,
          }),
        },
      );
      expect(out).toBe(`${expected}{}\n`);
      expect(asked).toEqual(['{}\n']);
    },
  );

  test('a line is held until it has ended', () => {
    const gate = createLineFilter({ ...SHORT, accepts: () => true });
    expect(gate.push(Buffer.from('{"a"'))).toEqual([]);
    expect(gate.push(Buffer.from(':1}\n{'))).toEqual([{ length: 8, passes: true }]);
  });
});

describe('line interleaver', () => {
  test('the stream is unchanged, and our lines appear only between its own', () => {
    const events = fc.array(
      fc.oneof(
        chunks.map((pieces) => Buffer.concat(pieces)),
        fc.constant('ours' as const),
      ),
    );
    fc.assert(
      fc.property(events, (steps) => {
        const weaver = createLineInterleaver();
        const ours = Buffer.from('OURS\n');
        const out = steps.flatMap((one) => [...(one === 'ours' ? weaver.insert(ours) : weaver.pass(one))]);
        const text = Buffer.concat(out).toString();
        const stream = Buffer.concat(steps.flatMap((one) => (one === 'ours' ? [] : [one]))).toString();
        expect(text.replaceAll('OURS\n', '')).toBe(stream);
        expect(
          linesOf(text)
            .filter((line) => line.includes('OURS'))
            .every((line) => line === 'OURS\n'),
        ).toBe(true);
        const inserted = steps.filter((one) => one === 'ours').length;
        const isBetween = stream === '' || stream.endsWith('\n');
        expect(text.split('OURS').length - 1).toBeLessThanOrEqual(inserted);
        if (isBetween) expect(text.split('OURS').length - 1).toBe(inserted);
      }),
    );
  });
});
