import { describe, expect, test } from 'vitest';
import { checkTarget, isPublicAddress } from '../../../src/service/alerts/receivers/check-target.ts';

/** Names that resolve without a network. */
const NAMES: Readonly<Record<string, readonly string[]>> = {
  'public.example': ['93.184.215.14', '2606:2800:21f:cb07:6820:80da:af6b:8b2c'],
  'rebound.example': ['127.0.0.1'],
  'mixed.example': ['93.184.215.14', '10.0.0.7'],
  'metadata.google.internal': ['169.254.169.254'],
  localhost: ['127.0.0.1', '::1'],
};

function check(url: string, allowPrivateTargets: readonly string[] = []) {
  return checkTarget(new URL(url), {
    allowPrivateTargets,
    resolveHostname: async (name) => {
      const addresses = NAMES[name];
      if (!addresses) throw Object.assign(new Error(`getaddrinfo ENOTFOUND ${name}`), { code: 'ENOTFOUND' });
      return addresses.map((address) => ({ address, family: address.includes(':') ? 6 : 4 }));
    },
  });
}

describe('checkTarget', () => {
  const table: readonly [string, readonly string[], string, string][] = [
    ['https://public.example/hook', [], 'allowed', 'all its addresses are public'],
    ['https://93.184.215.14/hook', [], 'allowed', 'the address is public'],
    ['http://127.0.0.1:9999/', [], 'refused', 'it is this machine'],
    ['http://localhost:9999/', [], 'refused', 'the name is this machine'],
    ['http://[::1]:9999/', [], 'refused', 'it is this machine'],
    ['http://2130706433/', [], 'refused', 'a number is an address too'],
    ['http://0x7f.1/', [], 'refused', 'so is a short hexadecimal one'],
    ['http://017700000001/', [], 'refused', 'so is an octal one'],
    ['http://0177.0.0.01/', [], 'refused', 'so are octal parts'],
    ['http://127.1/', [], 'refused', 'parts may be left out'],
    ['http://127.0.0.1./', [], 'refused', 'a closing dot changes nothing'],
    ['http://127。0。0。1/', [], 'refused', 'other full stops are full stops'],
    ['http://①②⑦.0.0.1/', [], 'refused', 'digits in circles are digits'],
    ['http://2852039166/', [], 'refused', 'it is the metadata address in one number'],
    ['http://[::ffff:0:169.254.169.254]/', [], 'refused', 'so it is translated (SIIT)'],
    ['http://[::169.254.169.254]/', [], 'refused', 'so it is in the old form'],
    ['http://[2001:0:1::1]/', [], 'refused', 'Teredo embeds an address that was not checked'],
    ['http://[5f00::1]/', [], 'refused', 'it names a segment of a route'],
    ['http://[64:ff9b:1::a9fe:a9fe]/', [], 'refused', 'local NAT64 reaches what it carries'],
    ['http://[2606:2800:21f:cb07:6820:80da:af6b:8b2c]/', [], 'allowed', 'the address is public'],
    ['http://user:secret@127.0.0.1/', [], 'refused', 'a user changes nothing'],
    ['http://public.example@127.0.0.1/', [], 'refused', 'what stands before the sign is a user'],
    ['http://0/', [], 'refused', 'zero is this machine on Linux'],
    ['http://[::ffff:127.0.0.1]/', [], 'refused', 'IPv4 in IPv6 is IPv4'],
    ['http://[::ffff:a9fe:a9fe]/', [], 'refused', 'so is the metadata address'],
    ['http://[64:ff9b::a00:1]/', [], 'refused', 'NAT64 reaches what it carries'],
    ['http://[2002:7f00:1::]/', [], 'refused', '6to4 does too'],
    ['http://169.254.169.254/latest/meta-data/', [], 'refused', 'it is the metadata of a cloud'],
    ['http://metadata.google.internal/', [], 'refused', 'its name resolves there'],
    ['http://[fd00:ec2::254]/', [], 'refused', 'so is its IPv6 address'],
    ['http://10.1.2.3/', [], 'refused', 'it is private'],
    ['http://172.31.255.255/', [], 'refused', 'it is private'],
    ['http://172.32.0.1/', [], 'allowed', 'the private range ends before'],
    ['http://192.168.1.1/', [], 'refused', 'it is private'],
    ['http://100.64.0.1/', [], 'refused', 'it is behind carrier-grade NAT'],
    ['http://224.0.0.1/', [], 'refused', 'it is multicast'],
    ['http://255.255.255.255/', [], 'refused', 'it is broadcast'],
    ['http://[fe80::1]/', [], 'refused', 'it is link-local'],
    ['http://rebound.example/', [], 'refused', 'a public name may point inside'],
    ['http://mixed.example/', [], 'refused', 'one private address is enough'],
    ['http://nowhere.example/', [], 'unresolved', 'it may resolve later'],
    ['http://127.0.0.1:9999/', ['127.0.0.1:9999'], 'allowed', 'it is listed'],
    ['http://127.0.0.1:9998/', ['127.0.0.1:9999'], 'refused', 'another port is listed'],
    ['http://[::1]:9999/', ['[::1]:9999'], 'allowed', 'it is listed'],
    ['http://localhost:9999/', ['LOCALHOST:9999'], 'allowed', 'its name is listed, whatever the case'],
    ['http://localhost:9999/', ['127.0.0.1:9999'], 'refused', 'its other address is not listed'],
    ['http://localhost:9999/', ['127.0.0.1:9999', '[::1]:9999'], 'allowed', 'all its addresses are listed'],
    ['http://10.1.2.3/', ['10.1.2.3:80'], 'allowed', 'the port of http is 80'],
    ['https://10.1.2.3/', ['10.1.2.3:80'], 'refused', 'the port of https is not'],
    ['http://mixed.example/', ['10.0.0.7:80'], 'allowed', 'its private address is listed'],
  ];
  test.each(table)('the target %s with %j allowed is %s because %s', async (url, listed, expected) => {
    const { status } = await check(url, listed);
    expect(status === 'unresolved' ? 'unresolved' : status).toBe(expected);
  });

  test('a target is pinned to the addresses that were checked', async () => {
    expect(await check('https://public.example/')).toMatchObject({
      addresses: NAMES['public.example']?.map((address) => expect.objectContaining({ address })),
    });
  });

  test('a text that is not an address does not count as public', () => {
    expect(isPublicAddress('example.com')).toBe(false);
    expect(isPublicAddress('')).toBe(false);
  });
});
