import { expect, test } from 'vitest';
import { parseTraceParent } from '../../../src/core/observer/request-facts.ts';

const T = '0af7651916cd43dd8448eb211c80319c';
const S = 'b7ad6b7169203331';

test('a traceparent is parsed into trace id, span id and flags', () => {
  expect(parseTraceParent(`00-${T}-${S}-01`)).toEqual({ traceId: T, spanId: S, flags: 1 });
});

test('a traceparent of a later version may have more fields', () => {
  expect(parseTraceParent(`01-${T}-${S}-00-more`)).toEqual({ traceId: T, spanId: S, flags: 0 });
});

test.each([
  ['version 00 ends after its flags', `00-${T}-${S}-01-more`],
  ['version ff is forbidden', `ff-${T}-${S}-01`],
  ['a trace of zeros is none', `00-${'0'.repeat(32)}-${S}-01`],
  ['a span of zeros is none', `00-${T}-${'0'.repeat(16)}-01`],
  ['hex is lower case', `00-${T.toUpperCase()}-${S}-01`],
  ['it is too short', `00-${T}-${S}`],
  ['it is no text', 7],
  ['it is not there', undefined],
])('a traceparent is refused because %s', (_because, value) => {
  expect(parseTraceParent(value)).toBeUndefined();
});
