// The outline of a message is what parsing it would say, however it is cut.
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { type Outline, OutlineScanner } from '../../../src/instrumentation/proxy/outline-scanner.ts';
import { propertyRuns } from '../../support/property-runs.ts';

function scan(text: string, cuts: readonly number[] = []): Outline {
  const bytes = Buffer.from(text);
  const scanner = new OutlineScanner();
  const places = [0, ...cuts.map((cut) => cut % (bytes.length + 1)).sort((a, b) => a - b), bytes.length];
  for (let at = 1; at < places.length; at += 1) scanner.scan(bytes.subarray(places[at - 1], places[at]));
  return scanner.outline();
}

const EMPTY_OUTLINE = { hasParams: false, hasResult: false, isError: false };

describe('outline scanner', () => {
  test.each<[string, Partial<Outline>, string]>([
    ['{"id":1,"method":"a"}', { id: 1, method: 'a' }, 'plain'],
    [
      '{ "id" : "x" ,\t"method" : "tools/call" , "params" : { "arguments" : { "name" : "no" } , "name" : "t" } }',
      { id: 'x', method: 'tools/call', name: 't', hasParams: true },
      'white space may stand anywhere, and a name deeper is another',
    ],
    ['{"\\u0069d":1,"method":"tools\\/call"}', { id: 1, method: 'tools/call' }, 'names may be escaped'],
    ['{"params":{"x":["id",{"id":2}],"name":["n"]},"id":3}', { id: 3, hasParams: true }, 'a list is no name'],
    ['{"id":-1.5e3,"result":{"isError":true}}', { id: -1500, hasResult: true, isError: true }, 'numbers'],
    [
      '{"id":1,"result":{"isError":"true","x":{"isError":true}}}',
      { id: 1, hasResult: true },
      'a text is no truth',
    ],
    [
      '{"error":{"data":{"code":1},"message":"no \\"way\\"","code":-32602},"id":4}',
      { id: 4, error: { code: -32602, message: 'no "way"' } },
      'an error has a code and a message',
    ],
    ['{"id":null,"method":5}', {}, 'what may not be an id or a method is none'],
    ['[{"id":1,"method":"a"}]', {}, 'a batch has no outline'],
    ['{"id":1,"id":2}', { id: 2 }, 'the last of two counts, as for a parser'],
    ['{"x":"\\\\","id":1}', { id: 1 }, 'a backslash that is escaped ends nothing'],
    ['{"id":{"id":9},"method":"m"}', { method: 'm' }, 'an object is no id'],
  ])('the outline of %s is %j, because %s', (text, expected, _because) => {
    const everyByte = Array.from(text, (_, at) => at);
    for (const cuts of [[], everyByte]) expect(scan(text, cuts)).toEqual({ ...EMPTY_OUTLINE, ...expected });
  });

  test('the outline agrees with a JSON parser for any message, however it is split', () => {
    const text = fc.string({
      unit: fc.constantFrom('a', '"', '\\', '{', '}', ',', ':', 'é', '\n'),
      maxLength: 12,
    });
    const value = fc.jsonValue({ maxDepth: 3 });
    const message = fc.record(
      {
        x: value,
        id: fc.oneof(text, fc.integer()),
        params: fc.record({ arguments: value, name: text, z: value }, { requiredKeys: [] }),
        result: fc.record({ content: value, isError: fc.oneof(fc.boolean(), value) }, { requiredKeys: [] }),
        method: text,
        y: text,
      },
      { requiredKeys: [] },
    );
    fc.assert(
      fc.property(message, fc.array(fc.nat(400), { maxLength: 6 }), fc.nat(2), (parsed, cuts, indent) => {
        expect(scan(JSON.stringify(parsed, null, indent), cuts)).toEqual({
          ...(parsed.id !== undefined && { id: parsed.id }),
          ...(parsed.method !== undefined && { method: parsed.method }),
          ...(parsed.params?.name !== undefined && { name: parsed.params.name }),
          hasParams: parsed.params !== undefined,
          hasResult: parsed.result !== undefined,
          isError: parsed.result?.isError === true,
        });
      }),
      { numRuns: propertyRuns({ quick: 100, full: 500 }) },
    );
  });

  test('the scanner accepts any bytes', () => {
    fc.assert(fc.property(fc.uint8Array(), (bytes) => void new OutlineScanner().scan(bytes)));
  });

  test('the scanner counts values, on which the cost of parsing depends', () => {
    const scanner = new OutlineScanner();
    scanner.scan(Buffer.from(`{"a":[${'{},'.repeat(99)}{}]}`));
    expect(scanner.values).toBeGreaterThan(100);
    expect(scanner.values).toBeLessThan(300);
  });
});
