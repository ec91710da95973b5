import { describe, expect, test } from 'vitest';
import {
  LoginAttemptLimit,
  type LoginAttemptLimitOptions,
} from '../../../src/service/api/login-attempt-limit.ts';

function open(over: Partial<LoginAttemptLimitOptions> = {}) {
  let now = 1_000_000;
  const limit = new LoginAttemptLimit({
    now: () => now,
    maxPerAddress: 3,
    maxOverall: 10,
    maxAddresses: 4,
    ...over,
  });
  const fail = (address: string, times = 1) => {
    for (let n = 0; n < times; n += 1) limit.recordFailure(address);
  };
  const pass = (ms: number): void => {
    now += ms;
  };
  return { limit, fail, pass };
}

describe('LoginAttemptLimit', () => {
  test('wrong tokens of one address are checked three times, and again after a minute', () => {
    const { limit, fail, pass } = open();
    fail('10.0.0.1', 2);
    expect(limit.retryAfterSeconds('10.0.0.1')).toBe(0);
    fail('10.0.0.1');
    expect(limit.retryAfterSeconds('10.0.0.1')).toBe(60);
    expect(limit.retryAfterSeconds('10.0.0.2')).toBe(0);
    pass(59_001);
    expect(limit.retryAfterSeconds('10.0.0.1')).toBe(1);
    pass(999);
    expect(limit.retryAfterSeconds('10.0.0.1')).toBe(0);
    fail('10.0.0.1');
    expect(limit.retryAfterSeconds('10.0.0.1')).toBe(0);
  });

  test.each([
    ['10.0.0.1', '::ffff:10.0.0.1', true, 'IPv4 in IPv6 is IPv4'],
    ['2001:db8:1:2::1', '2001:db8:1:2:ffff:1:2:3', true, 'a subscriber has the last 64 bits to themselves'],
    ['2001:db8:1:2::1', '2001:db8:1:3::1', false, 'other first 64 bits are another subscriber'],
    ['fe80::1%eth0', 'fe80::2%eth1', true, 'the zone is ours and not theirs'],
    ['::1', '::2', true, 'they share their first 64 bits'],
    ['10.0.0.1', '10.0.0.2', false, 'they are two'],
  ])('wrong tokens of %s count for %s: %s, because %s', (one, other, isShared) => {
    const { limit, fail } = open();
    fail(one, 3);
    expect(limit.retryAfterSeconds(other) > 0).toBe(isShared);
  });

  test('wrong tokens of all addresses together are limited too', () => {
    const { limit, fail, pass } = open();
    for (let n = 0; n < 10; n += 1) fail(`10.0.1.${n}`);
    expect(limit.retryAfterSeconds('10.0.2.1')).toBe(60);
    pass(60_000);
    expect(limit.retryAfterSeconds('10.0.2.1')).toBe(0);
  });

  test('a limited number of addresses is remembered, and the oldest is forgotten first', () => {
    const { limit, fail } = open({ maxOverall: 1_000 });
    fail('10.0.0.1', 3);
    for (let n = 0; n < 3; n += 1) fail(`10.0.1.${n}`);
    expect(limit.retryAfterSeconds('10.0.0.1')).toBe(60);
    fail('10.0.1.9');
    expect(limit.retryAfterSeconds('10.0.0.1')).toBe(0);
  });
});
