import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { maskNoise } from '../../../src/core/values/mask-noise.ts';
import { propertyRuns } from '../../support/property-runs.ts';

const AT = Date.parse('2026-11-21T10:00:00Z');

describe('noise mask', () => {
  test.each<[string, string, string]>([
    ['at 2026-11-21T09:59:58.123Z', 'at <time>', 'it is the time of the answer'],
    ['at 2026-11-21 11:59:58 here', 'at <time> here', 'a clock of another zone says the same'],
    ['Sat, 21 Nov 2026 10:00:01 GMT', '<time>', 'HTTP writes dates so'],
    ['meet at 2026-11-25T10:00:00Z', 'meet at 2026-11-25T10:00:00Z', 'an appointment is no noise'],
    ['on 2026-11-21', 'on 2026-11-21', 'a day is asked for'],
    ['10:00:59.5 ready', '<time> ready', 'a clock'],
    ['ts=1795255200123', 'ts=<time>', 'milliseconds since the epoch, now'],
    ['id=1595255200123', 'id=1595255200123', 'years ago it may be an id'],
    ['took 12.5 ms', 'took <duration>', 'a duration'],
    ['pod  0/1  Pending  2m9s', 'pod  0/1  Pending  <duration>', 'an age grows by itself'],
    ['for 3 days, 5 hours', 'for 3 days, 5 hours', 'these are answers'],
    ['7f9c24e5-3b1a-4c5e-9d8f-0123456789ab', '7f9c24e5-3b1a-4c5e-9d8f-0123456789ab', 'a new id is news'],
    ['commit 3103e45fa9', 'commit 3103e45fa9', 'and so is a hash'],
    ['{"request_id":"7f9c24e5"}', '{"request_id":<id>}', 'every answer has another'],
    ['{"etag":"\\"130164\\"","a":1}', '{"etag":<id>,"a":1}', 'a quoted text in it is passed over'],
    ['Request ID: req_8f2a91', 'Request ID: <id>', 'said in words'],
    ['{"generated_at":"10 to noon","n":4}', '{"generated_at":<time>,"n":4}', 'whatever its form'],
    ['{"took":18,"hits":2}', '{"took":<duration>,"hits":2}', 'hits are news, what they took is not'],
    [
      '<untrusted-data-5f0c1d2e-1111-4222-8333-944445555666>\n[]\n</untrusted-data-5f0c1d2e-1111-4222-8333-944445555666>',
      '<untrusted-data-<id>>\n[]\n</untrusted-data-<id>>',
      'a boundary is made up for each answer',
    ],
    ['----WebKitFormBoundary7MA4YWxk', '----<id>', 'so is a fence'],
    ['page 3 of 12, 4711 rows', 'page 3 of 12, 4711 rows', 'counters are progress'],
  ])('the mask turns %j into %j, because %s', (text, expected) => {
    expect(maskNoise(text, AT)).toBe(expected);
  });

  test('times to the second are masked when the time of the response is unknown', () => {
    expect(maskNoise('meet at 2026-11-25T10:00:00Z')).toBe('meet at 2026-11-25T10:00:00Z');
    expect(maskNoise('made at 2026-11-25T10:00:17Z')).toBe('made at <time>');
  });

  test('masking a masked text changes nothing', () => {
    const piece = fc.oneof(
      fc.constantFrom(
        '2026-11-21',
        'T10:00:00Z',
        '12',
        ' ms',
        '5s',
        '2m',
        '1795255200',
        '.5',
        ' Nov ',
        ':',
        '"took":',
      ),
      fc.string({ unit: fc.constantFrom(...'0123456789abcdefTZ:-. sm<>"'), maxLength: 12 }),
    );
    fc.assert(
      fc.property(fc.array(piece), (pieces) => {
        const once = maskNoise(pieces.join(''), AT);
        expect(maskNoise(once, AT)).toBe(once);
      }),
      { numRuns: propertyRuns({ quick: 400, full: 2_000 }) },
    );
  });
});
