import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { isClassName, normaliseCode } from '../../../src/core/classification/error-code.ts';

describe('normalised error code', () => {
  test.each<[unknown, string, string]>([
    [404, 'HTTP_404', 'HTTP statuses have a name'],
    ['404', 'HTTP_404', 'as text too'],
    ['http 503', 'HTTP_503', 'and spelled out'],
    [200, '', 'that is no error'],
    [0, '', 'nor is that'],
    [-32001, '-32001', 'JSON-RPC codes stay'],
    [23505, '23505', 'so do those of databases'],
    [1234567890, '', 'that identifies something'],
    [4.5, '', 'no code'],
    [Number.NaN, '', 'no code'],
    ['NOTE_LOCKED', 'NOTE_LOCKED', 'a constant'],
    [`AK${'IA'}IOSFODNN7EXAMPLE`, '', 'a key in capitals is no constant'],
    ['JBSWY3DPEHPK3PXP', '', 'nor is a seed of one-time passwords'],
    ['ERR_HTTP2_STREAM_CANCEL', 'ERR_HTTP2_STREAM_CANCEL', 'digits inside a short part are'],
    ['PGRST116', 'PGRST116', 'and at its end'],
    ['P2002', 'P2002', 'a short number of a family'],
    ['ORA-00942', 'ORA-00942', 'and five digits'],
    ['ResourceNotFoundException', 'ResourceNotFoundException', 'a class'],
    ['rate_limit_exceeded', 'rate_limit_exceeded', 'known words'],
    ['auth/user-not-found', 'auth/user-not-found', 'with a name space'],
    ['plimsoll', '', 'a word of no API may be data'],
    ['zqxv83kd', '', 'an id'],
    ['7f9c24e5-3b1a-4c5e-9d8f-0123456789ab', '', 'an id'],
    ['REQ_20261121_00017', '', 'an id of a request'],
    ['deadbeef12', '', 'a hash'],
    ['XB1QD2ZF3', '', 'letters and digits in turns'],
    ['note is locked', '', 'a sentence is a message'],
    ['X'.repeat(65), '', 'too long'],
    ['error', '', 'says nothing'],
    [' FAILED ', '', 'says nothing'],
    [null, '', 'no code'],
    [{ code: 1 }, '', 'no code'],
  ])('the code %j becomes %j, because %s', (raw, code) => {
    expect(normaliseCode(raw)).toBe(code);
  });

  test('a normalised code is not changed when it is normalised again', () => {
    fc.assert(
      fc.property(fc.oneof(fc.integer(), fc.string(), fc.constantFrom('A_B', 'TypeError', '404')), (raw) => {
        const code = normaliseCode(raw);
        expect(normaliseCode(code)).toBe(code);
        expect(code.length).toBeLessThanOrEqual(64);
      }),
    );
  });

  test.each<[string, boolean]>([
    ['TypeError', true],
    ['sqlite3.OperationalError', true],
    ['java.lang.IllegalStateException', true],
    ['DoesNotExist', true],
    ['Plimsoll', false],
    ['plimsoll', false],
    ['Not Found', false],
    ['', false],
  ])('whether %s is a class name is %s', (text, expected) => {
    expect(isClassName(text)).toBe(expected);
  });
});
