import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { createLineGate } from '../../../src/host/proxy/line-gate.ts';
import { createLineWeaver } from '../../../src/host/proxy/line-weaver.ts';

/** Text of a few characters that matter here, cut into chunks anywhere. */
const chunks = fc.array(
  fc.string({ unit: fc.constantFrom('a', 'x', '\n', '\r', 'é') }).map((text) => Buffer.from(text)),
);

const linesOf = (text: string): string[] => text.match(/[^\n]*\n|[^\n]+$/g) ?? [];

describe('the gate', () => {
  test('lets each line pass or keeps it back whole, however it is cut', () => {
    fc.assert(
      fc.property(chunks, (pieces) => {
        const gate = createLineGate({ maxBytes: 1_000, admits: (line) => !Buffer.from(line).includes('x') });
        const out = [...pieces.flatMap((piece) => gate.push(piece)), ...gate.end()];
        const lines = linesOf(Buffer.concat(pieces).toString());
        expect(Buffer.concat(out).toString()).toBe(lines.filter((line) => !line.includes('x')).join(''));
      }),
    );
  });

  test('lets a line that is too long pass unasked, and asks about the next', () => {
    const asked: string[] = [];
    const gate = createLineGate({
      maxBytes: 4,
      admits(line) {
        asked.push(Buffer.from(line).toString());
        return false;
      },
    });
    const out = ['abc', 'def', 'ghi\nxyz', '\n', 'end'].flatMap((text) => gate.push(Buffer.from(text)));
    expect(Buffer.concat([...out, ...gate.end()]).toString()).toBe('abcdefghi\n');
    expect(asked).toEqual(['xyz\n', 'end']);
  });

  test('holds a line until it has ended', () => {
    const gate = createLineGate({ maxBytes: 100, admits: () => true });
    expect(gate.push(Buffer.from('{"a"'))).toEqual([]);
    expect(Buffer.concat([...gate.push(Buffer.from(':1}\n{'))]).toString()).toBe('{"a":1}\n');
  });
});

describe('the weaver', () => {
  test('changes no byte of the stream, and puts our lines only between its own', () => {
    const events = fc.array(
      fc.oneof(
        chunks.map((pieces) => Buffer.concat(pieces)),
        fc.constant('ours' as const),
      ),
    );
    fc.assert(
      fc.property(events, (steps) => {
        const weaver = createLineWeaver();
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
