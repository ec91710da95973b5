// The end of a message says of it what the whole message does, or nothing.
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { parseMessageTail, TAIL_BYTES } from '../../../src/instrumentation/proxy/message-tail.ts';
import { propertyRuns } from '../../support/property-runs.ts';

const parse = (text: string) => parseMessageTail(Buffer.from(text));

describe('the end of a message', () => {
  test.each<[string, readonly string[][], readonly string[][], because: string]>([
    [
      'xyz"}]},"jsonrpc":"2.0","id":7}',
      [
        ['id', '7'],
        ['jsonrpc', '"2.0"'],
      ],
      [],
      'the TypeScript SDK writes the id last',
    ],
    [
      'xyz"}],"isError":true},"id":"a"}',
      [['id', '"a"']],
      [['isError', 'true']],
      'an error is marked after its content',
    ],
    [
      '1}},"name":"search"},"id" : -1.5e3 }\r',
      [['id', '-1.5e3']],
      [['name', '"search"']],
      'white space may stand anywhere',
    ],
    ['a,\\"id\\":1"}', [], [], 'a quote inside a string is escaped'],
    ['"text":"a,\\"id\\":1"}', [], [], 'the only member has no comma before it that is known'],
    ['x,"id":1,"more":[2]}', [], [], 'a list may be of any length'],
    ['x,"id":1,"id":2}', [['id', '2']], [], 'the last of two members counts'],
    ['"id":1', [], [], 'the message has not ended'],
    ['', [], [], 'there is nothing'],
  ])('of %j the members are %j, and before them %j, because %s', (text, members, lastMembers) => {
    expect(parse(text)).toEqual({ members, lastMembers });
  });

  test('whatever stands before it, a member at the end is what parsing the message says', () => {
    const scalar = fc.oneof(fc.string(), fc.integer(), fc.boolean(), fc.constant(null));
    const message = fc.record({ result: fc.jsonValue(), note: fc.string(), id: scalar });
    fc.assert(
      fc.property(message, fc.nat(), (written, cut) => {
        const text = JSON.stringify(written);
        const { members } = parse(text.slice(cut % text.length));
        for (const [name, json] of members)
          expect(JSON.parse(json)).toEqual(written[name as keyof typeof written]);
      }),
      { numRuns: propertyRuns({ quick: 100, full: 2_000 }) },
    );
  });

  test('bytes before the end are not read', () => {
    expect(parse(`,"method":"m"${' '.repeat(TAIL_BYTES)},"id":1}`).members).toEqual([['id', '1']]);
  });
});
