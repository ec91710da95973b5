// The key of an address for per-address limits.

import { isIPv6 } from 'node:net';

/**
 * IPv6 addresses of one /64 count as one, because that is the least a subscriber has; IPv4 in IPv6 is IPv4.
 *
 * @param address as a socket reports it, possibly with a zone
 */
export function toAddressKey(address = ''): string {
  const plain = address.replace(/^::ffff:(?=\d+\.)/i, '').replace(/%.*$/, '');
  if (!isIPv6(plain)) return plain;
  const [head = '', tail] = plain.split('::');
  const front = head === '' ? [] : head.split(':');
  const back = tail === undefined || tail === '' ? [] : tail.split(':');
  const zeros = tail === undefined ? 0 : Math.max(0, 8 - front.length - back.length);
  return [...front, ...Array<string>(zeros).fill('0'), ...back].slice(0, 4).join(':');
}
