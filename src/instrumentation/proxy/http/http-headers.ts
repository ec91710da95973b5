// Headers of forwarded messages. What describes one connection is not forwarded (RFC 9110, 7.6.1); everything else is,
// in its order and spelling.

/** Headers as in `rawHeaders` of Node's HTTP: names and values in turn. */
export type RawHeaders = readonly string[];

/** `expect` is answered by this process, so that the server does not wait for it a second time. */
const HOP_BY_HOP: ReadonlySet<string> = new Set([
  'connection',
  'expect',
  'keep-alive',
  'proxy-authenticate',
  'proxy-authorization',
  'proxy-connection',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
]);

/** @param replace returns the value to send in place of the one given */
export function toForwardedHeaders(
  headers: RawHeaders,
  replace: (name: string, value: string) => string,
): string[] {
  const pairs = toPairs(headers);
  const named = pairs
    .filter(([name]) => name.toLowerCase() === 'connection')
    .flatMap(([, value]) => value.split(','));
  const dropped = new Set([...HOP_BY_HOP, ...named.map((name) => name.trim().toLowerCase())]);
  return pairs
    .filter(([name]) => !dropped.has(name.toLowerCase()))
    .flatMap(([name, value]) => [name, replace(name.toLowerCase(), value)]);
}

function toPairs(headers: RawHeaders): (readonly [name: string, value: string])[] {
  return headers.flatMap((name, at) => (at % 2 === 0 ? [[name, headers[at + 1] ?? ''] as const] : []));
}

/** The value of a header; '' if there is none. */
export function headerOf(headers: NodeJS.Dict<string | string[]>, name: string): string {
  const value = headers[name];
  return (Array.isArray(value) ? value[0] : value) ?? '';
}

/** An address at the server, as an address at the proxy; others stay unchanged. */
export function toProxyAddress(address: string, { server, proxy }: { server: URL; proxy: string }): string {
  if (!URL.canParse(address)) return address;
  const url = new URL(address);
  return url.origin === server.origin
    ? `${proxy}${address.slice(address.indexOf(url.host) + url.host.length)}`
    : address;
}
