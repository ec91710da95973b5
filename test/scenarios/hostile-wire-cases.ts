// Hostile HTTP, byte by byte: what no client library would send. The expected status is that of the first answer;
// 0 means that the connection is closed without one.

export interface WireCase {
  readonly name: string;
  readonly because: string;
  readonly bytes: string;
  readonly status: number;
}

const HEAD = 'POST /v1/traces HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n';

export const WIRE_CASES: readonly WireCase[] = (
  [
    ['no host', 'GET /healthz HTTP/1.1\r\n\r\n', 400, 'HTTP/1.1 has one'],
    [
      'two hosts',
      'GET /healthz HTTP/1.1\r\nHost: localhost\r\nHost: evil.example\r\n\r\n',
      403,
      'nobody knows which one is meant',
    ],
    [
      'an absolute address',
      'GET http://evil.example/healthz HTTP/1.1\r\nHost: localhost\r\n\r\n',
      403,
      'we are no proxy',
    ],
    ['a tunnel', 'CONNECT evil.example:443 HTTP/1.1\r\nHost: evil.example:443\r\n\r\n', 0, 'we are no proxy'],
    [
      'a method that does not exist',
      'SPANS / HTTP/1.1\r\nHost: localhost\r\n\r\n',
      400,
      'the parser knows its methods',
    ],
    ['no version', 'GET /healthz\r\n\r\n', 403, 'it names no host'],
    ['HTTP/2', 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n', 400, 'it is another protocol'],
    ['TLS', '\u0016\u0003\u0001\u0002\u0000\u0001\u0000', 400, 'it is another protocol'],
    ['a NUL in the path', 'GET /\u0000 HTTP/1.1\r\nHost: localhost\r\n\r\n', 400, 'it is no path'],
    ['a space in the path', 'GET /a b HTTP/1.1\r\nHost: localhost\r\n\r\n', 400, 'it ends there'],
    [
      'a folded head',
      'GET /healthz HTTP/1.1\r\nHost: localhost\r\nX-A: b\r\n c\r\n\r\n',
      400,
      'folding is gone since RFC 7230',
    ],
    [
      'a space before the colon',
      'GET /healthz HTTP/1.1\r\nHost : localhost\r\n\r\n',
      400,
      'proxies read it otherwise',
    ],
    ['bare line feeds', 'GET /healthz HTTP/1.1\nHost: localhost\n\n', 400, 'proxies read it otherwise'],
    [
      'a head of bytes',
      'GET /healthz HTTP/1.1\r\nHost: localhost\r\nX-A: \u0001\r\n\r\n',
      400,
      'they are no text',
    ],
    [
      'twenty thousand heads',
      `GET /healthz HTTP/1.1\r\nHost: localhost\r\n${'A: b\r\n'.repeat(20_000)}\r\n`,
      431,
      'heads are bounded',
    ],
    [
      'two lengths',
      `${HEAD}Content-Length: 2\r\nContent-Length: 3\r\n\r\n{}`,
      400,
      'a request hides in the difference',
    ],
    [
      'a length and chunks',
      `${HEAD}Content-Length: 2\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n`,
      400,
      'a request hides in the difference',
    ],
    ['a negative length', `${HEAD}Content-Length: -1\r\n\r\n`, 400, 'it is no length'],
    ['a length of words', `${HEAD}Content-Length: many\r\n\r\n`, 400, 'it is no length'],
    [
      'a length of a terabyte',
      `${HEAD}Content-Length: 1099511627776\r\n\r\n{}`,
      413,
      'it is refused before it comes',
    ],
    [
      'a length beyond 64 bits',
      `${HEAD}Content-Length: 99999999999999999999999\r\n\r\n{}`,
      400,
      'it is no length',
    ],
    [
      'chunks of no number',
      `${HEAD}Transfer-Encoding: chunked\r\n\r\nxyz\r\n{}\r\n0\r\n\r\n`,
      400,
      'a chunk has a size',
    ],
    [
      'a chunk that is longer than it says',
      `${HEAD}Transfer-Encoding: chunked\r\n\r\n1\r\n{}}}\r\n0\r\n\r\n`,
      400,
      'what follows is no chunk',
    ],
    [
      'a chunk beyond 64 bits',
      `${HEAD}Transfer-Encoding: chunked\r\n\r\nfffffffffffffffff\r\n{}\r\n0\r\n\r\n`,
      400,
      'it is no size',
    ],
    [
      'chunks in something else',
      `${HEAD}Transfer-Encoding: gzip, chunked, x\r\n\r\n0\r\n\r\n`,
      400,
      'nobody knows where it ends',
    ],
    [
      'an expectation of junk',
      `${HEAD}Expect: the-unexpected\r\nContent-Length: 2\r\n\r\n{}`,
      417,
      'it cannot be met',
    ],
  ] as const
).map(([name, bytes, status, because]) => ({ name, bytes, status, because }));
