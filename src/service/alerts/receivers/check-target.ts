// Checks whether a webhook may be sent to an address, so that a rules file cannot reach internal services.
// Every resolved address is checked, and the request uses only those, which prevents DNS rebinding.

import { type LookupAddress, lookup } from 'node:dns';
import { BlockList, isIP } from 'node:net';
import { promisify } from 'node:util';

export type ResolveHostname = (hostname: string) => Promise<readonly LookupAddress[]>;

export type TargetCheck =
  | { readonly status: 'allowed'; readonly addresses: readonly LookupAddress[] }
  | { readonly status: 'refused'; readonly reason: string }
  | { readonly status: 'unresolved'; readonly reason: string };

const lookupAll = promisify(lookup);

/** The system's resolver. */
export const resolveHostname: ResolveHostname = (hostname) =>
  lookupAll(hostname, { all: true, verbatim: true });

/** IANA's special-purpose registries (RFC 6890) without globally reachable ranges. IPv4-mapped IPv6 is read as IPv4. */
const NON_PUBLIC_ADDRESSES = new BlockList();
for (const [network, prefix] of [
  ['0.0.0.0', 8],
  ['10.0.0.0', 8],
  ['100.64.0.0', 10],
  ['127.0.0.0', 8],
  // Link-local; cloud metadata is 169.254.169.254.
  ['169.254.0.0', 16],
  ['172.16.0.0', 12],
  ['192.0.0.0', 24],
  ['192.0.2.0', 24],
  ['192.88.99.0', 24],
  ['192.168.0.0', 16],
  ['198.18.0.0', 15],
  ['198.51.100.0', 24],
  ['203.0.113.0', 24],
  ['224.0.0.0', 4],
  ['240.0.0.0', 4],
] as const) {
  NON_PUBLIC_ADDRESSES.addSubnet(network, prefix, 'ipv4');
}
for (const [network, prefix] of [
  ['::', 96],
  // NAT64 and 6to4 embed an IPv4 address that would be unchecked.
  ['64:ff9b::', 96],
  ['64:ff9b:1::', 48],
  ['2002::', 16],
  // So does SIIT.
  ['::ffff:0:0:0', 96],
  ['100::', 64],
  ['2001::', 23],
  ['2001:db8::', 32],
  ['3fff::', 20],
  ['5f00::', 16],
  ['fc00::', 7],
  ['fe80::', 10],
  ['fec0::', 10],
  ['ff00::', 8],
] as const) {
  NON_PUBLIC_ADDRESSES.addSubnet(network, prefix, 'ipv6');
}

export interface TargetPolicy {
  /** Each as `host:port`, by name or address; IPv6 in brackets. */
  readonly allowPrivateTargets: readonly string[];
  readonly resolveHostname: ResolveHostname;
}

/** @returns the checked addresses in the resolver's order; never throws */
export async function checkTarget(
  url: URL,
  { allowPrivateTargets, resolveHostname }: TargetPolicy,
): Promise<TargetCheck> {
  const port = url.port || (url.protocol === 'https:' ? '443' : '80');
  const allowed = new Set(allowPrivateTargets.map((target) => target.toLowerCase()));
  const hostname = url.hostname.replace(/^\[|\]$/g, '');
  const addresses = await resolveAddresses(hostname, resolveHostname);
  if (typeof addresses === 'string') return { status: 'unresolved', reason: addresses };
  const isAllowed = ({ address, family }: LookupAddress): boolean =>
    isPublicAddress(address) || allowed.has(`${family === 6 ? `[${address}]` : address}:${port}`);
  if (allowed.has(`${url.hostname}:${port}`) || addresses.every(isAllowed)) {
    return { status: 'allowed', addresses };
  }
  return {
    status: 'refused',
    reason:
      'The target is a private address. Expected a public one, or its host:port in allowPrivateTargets.',
  };
}

export function isPublicAddress(address: string): boolean {
  const family = isIP(address);
  return family !== 0 && !NON_PUBLIC_ADDRESSES.check(address, family === 6 ? 'ipv6' : 'ipv4');
}

/** @returns the addresses, or the reason why there are none */
async function resolveAddresses(
  hostname: string,
  resolve: ResolveHostname,
): Promise<readonly LookupAddress[] | string> {
  const family = isIP(hostname);
  if (family !== 0) return [{ address: hostname, family }];
  try {
    const addresses = await resolve(hostname);
    return addresses.length > 0 ? addresses : 'The name of the target has no address.';
  } catch (error) {
    return `The name of the target could not be resolved (${toSystemErrorCode(error)}).`;
  }
}

/** The code of a system error. Its message may repeat the address, which is a secret. */
export function toSystemErrorCode(error: unknown): string {
  return error instanceof Error && 'code' in error && typeof error.code === 'string'
    ? error.code
    : error instanceof Error
      ? error.name
      : 'unknown';
}
