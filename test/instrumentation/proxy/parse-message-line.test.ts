// A line that is parsed later says what it would have said at once.
import { describe, expect, test } from 'vitest';
import { LazyParams } from '../../../src/instrumentation/proxy/lazy-params.ts';
import { OUTLINED_BYTES } from '../../../src/instrumentation/proxy/outlined-message.ts';
import { parseMessageLine } from '../../../src/instrumentation/proxy/parse-message-line.ts';

const pad = 'x'.repeat(5_000);
const read = (text: string) => parseMessageLine(Buffer.from(text));
const call = (params: object, more: object = {}): string =>
  JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params, ...more });

function messageOf(text: string): { params: { name: string; arguments: unknown } } {
  const line = read(text);
  if (line.kind !== 'message') throw new Error(line.kind);
  return line.message as never;
}

describe('large call', () => {
  test.each([
    [call({ name: 't', arguments: { pad, deep: [{ name: 'no' }] } }), true, 'it is as SDKs write it'],
    [
      `{"params":{"arguments":{"p":"${pad}"},"name":"t"},"method":"tools/call","id":"a"}`,
      true,
      'order says nothing',
    ],
    [
      call({ name: 't', arguments: { pad }, _meta: { progressToken: 1 } }),
      false,
      '_meta may say whose session it is',
    ],
    [call({ name: 't', arguments: { pad }, requestState: 's' }), false, 'it is a further round of a call'],
    [call({ name: 'n'.repeat(600), arguments: { pad } }), false, 'its name is longer than an outline keeps'],
    [call({ name: 't', arguments: { pad } }, { id: 'i'.repeat(600) }), false, 'so is its id'],
    [call({ name: 5, arguments: { pad } }), false, 'its name is none'],
    [`{"params":5,${call({ name: 't', arguments: { pad } }).slice(1)}`, false, 'it has params twice'],
    [call({ name: 't', arguments: {} }), false, 'it is small'],
  ])('the line %.60s… is parsed later: %s, because %s', (text, isLater, _because) => {
    const { params } = messageOf(text);
    expect(params instanceof LazyParams).toBe(isLater);
    const parsed = JSON.parse(text);
    expect(messageOf(text)).toMatchObject({ id: parsed.id, method: parsed.method });
    expect([params.name, params.arguments]).toEqual([parsed.params.name, parsed.params.arguments]);
  });

  test('a call that is parsed later does not share memory with its chunk', () => {
    const chunk = Buffer.from(call({ name: 't', arguments: { pad } }));
    const line = parseMessageLine(chunk);
    chunk.fill(0);
    expect(line).toMatchObject({ message: { params: { arguments: { pad } } } });
  });

  test('a call whose arguments cannot be parsed has unknown arguments that equal no others', () => {
    const text = call({ name: 't', arguments: { pad } }).replace('"arguments":', '"arguments":!');
    const [one, other] = [messageOf(text).params, messageOf(text).params];
    expect(one.arguments).not.toEqual(other.arguments);
    expect(one.arguments).toEqual(one.arguments);
    expect((one as LazyParams)[OUTLINED_BYTES]).toBe(text.length);
  });
});

test.each([
  [`{"method":"notifications/message","params":{"data":"${pad}"}}`, 'blank', 'nobody minds a log line'],
  [`{"method":"notifications/cancelled","params":{"reason":"${pad}"}}`, 'message', 'it ends a call'],
  [`{"id":1,"result":{"text":"${pad}"}}`, 'message', 'it answers one'],
  [`{"id":1,"result":{"text":"${pad}"}`, 'unread', 'it is no JSON'],
  [`[${call({ name: 't', arguments: { pad } })}]`, 'message', 'a batch is parsed'],
])('the line %.40s… is read as %s, because %s', (text, kind, _because) => {
  expect(read(text).kind).toBe(kind);
});
