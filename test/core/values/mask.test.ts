import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { maskVolatile } from '../../../src/core/values/mask.ts';

describe('the mask', () => {
  test.each<[string, string, string]>([
    ['at 2026-11-21T10:00:00.123Z', 'at <time>', 'an ISO time changes with every call'],
    ['on 2026-11-21', 'on <time>', 'so does a day'],
    ['Sat, 21 Nov 2026 10:00:00 GMT', '<time>', 'HTTP writes dates so'],
    ['Nov 21, 2026 done', '<time> done', 'people write dates so'],
    ['10:00:59.5 ready', '<time> ready', 'a clock'],
    ['ts=1795255200123', 'ts=<time>', 'milliseconds since the epoch'],
    ['id 7f9c24e5-3b1a-4c5e-9d8f-0123456789ab!', 'id <uuid>!', 'a UUID'],
    ['commit 3103e45fa9', 'commit <hex>', 'an abbreviated hash'],
    ['0x7ffee4bff618', '<hex>', 'an address in memory'],
    ['took 12.5 ms', 'took <duration>', 'a duration'],
    ['in 3 seconds, 20s', 'in <duration>, <duration>', 'spelled or short'],
    ['deadbeef effaceddefaced', 'deadbeef effaceddefaced', 'letters alone may be words'],
    ['defaced facade 12345678', 'defaced facade 12345678', 'words of a to f and plain numbers are no hashes'],
    ['page 3 of 12, 4711 rows', 'page 3 of 12, 4711 rows', 'counters are progress, not noise'],
    ['5 apples', '5 apples', 'not every number has a unit of time'],
  ])('makes %s into %s, because %s', (text, expected) => {
    expect(maskVolatile(text)).toBe(expected);
  });

  test('of a mask is the mask', () => {
    const piece = fc.oneof(
      fc.constantFrom(
        '2026-11-21',
        'T10:00:00Z',
        '12',
        ' ms',
        '5s',
        'deadbeef12',
        '1795255200',
        '.5',
        ' Nov ',
        ':',
      ),
      fc.string({ unit: fc.constantFrom(...'0123456789abcdefTZ:-. sm<>'), maxLength: 12 }),
    );
    fc.assert(
      fc.property(fc.array(piece), (pieces) => {
        const once = maskVolatile(pieces.join(''));
        expect(maskVolatile(once)).toBe(once);
      }),
      { numRuns: 2000 },
    );
  });
});
