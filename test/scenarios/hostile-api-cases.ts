// Hostile questions: every parameter of every route, bodies of the routes that change something, paths and heads. What is
// only odd is answered with 200 and finds nothing; what is wrong gets its 4xx.
import type { HostileCase } from './hostile-otlp-cases.ts';

const GET_ROUTES = [
  'summary',
  'servers',
  'tools',
  'errors',
  'series',
  'never-called',
  'sessions',
  'loops',
  'calls',
];
const REQUIRED_QUERY: Readonly<Record<string, string>> = { series: 'metric=calls&' };

type Row = readonly [name: string, value: string, status: number, because: string];

const encoded = (text: string): string => encodeURIComponent(text);

/** Values of a filter; a text is a text, whatever it looks like. */
const FILTER_VALUES: readonly Row[] = [
  ['SQL that ends a text', encoded("' OR 1=1 --"), 200, 'it is bound, not pasted'],
  [
    'SQL that escapes the quote',
    encoded("\\' OR file('/etc/passwd') --"),
    200,
    'a backslash is a letter of it',
  ],
  ['SQL behind a backslash at the end', encoded('x\\'), 200, 'it may not eat the closing quote'],
  ['SQL of a placeholder', encoded('{server:String}'), 200, 'a value is not looked at again'],
  [
    'SQL of a table function',
    encoded("') UNION ALL SELECT * FROM url('http://127.0.0.1/') --"),
    200,
    'it is bound',
  ],
  ['a wild card', encoded('%_*'), 200, 'filters are equal or not'],
  ['a NUL', '%00', 200, 'the engine takes statements as C strings'],
  ['bytes that are no UTF-8', '%ff%fe%c0%af', 200, 'they are replaced'],
  ['an unfinished escape', '%zz%', 200, 'it stands for itself'],
  ['a null of the engine', encoded('\\N'), 200, 'it is two letters'],
  ['a line break and a tab', encoded('a\r\nb\tc'), 200, 'they are letters'],
  ['emoji', encoded('😀'.repeat(20)), 200, 'they are letters'],
  ['nothing', '', 400, 'an empty filter means nothing'],
  ['257 letters', 'x'.repeat(257), 400, 'names are shorter'],
];

const FILTERS: readonly HostileCase[] = FILTER_VALUES.flatMap(([name, value, status, because], at) => {
  // Every value meets every route and every filter somewhere; all with all would only take time.
  const filters = ['server', 'environment', 'client', 'tool', 'version', 'plan'];
  return GET_ROUTES.slice(0, 9).flatMap((route, n) => {
    const filter = filters[(at + n) % filters.length] ?? 'server';
    if ((at + n) % 3 !== 0) return [];
    const path = `/api/v1/${route}?${REQUIRED_QUERY[route] ?? ''}${filter}=${value}`;
    return [{ name: `${route}: ${name} for ${filter}`, because, path, status }];
  });
});

const TIME_VALUES: readonly Row[] = [
  ['a negative number', '-1', 400, 'it is no form of a time'],
  ['NaN', 'NaN', 400, 'it is no form of a time'],
  ['infinity', 'Infinity', 400, 'it is no form of a time'],
  ['a power', '1e12', 400, 'it is no form of a time'],
  ['hexadecimal', '0x10000000000', 400, 'it is no form of a time'],
  ['twenty digits', '9'.repeat(20), 400, 'it is no form of a time'],
  ['the month thirteen', '2026-13-01', 400, 'there is none'],
  ['a time of JavaScript', encoded('Sat Nov 21 2026'), 400, 'it is no form of a time'],
  ['a function', encoded('now()'), 400, 'it is no form of a time'],
  ['SQL', encoded("now-1h' OR 1=1"), 400, 'it is no form of a time'],
  ['the future', 'now-0s', 400, 'it is not before the end'],
  ['nothing', '', 400, 'it is no form of a time'],
  ['full-width digits', encoded('１７９０００００００００'), 400, 'they are no digits here'],
  ['a thousand letters', `now-${'1'.repeat(1_000)}d`, 400, 'it is no form of a time'],
];

const TIMES: readonly HostileCase[] = TIME_VALUES.map(([name, value, status, because], at) => {
  const route = GET_ROUTES[at % GET_ROUTES.length] ?? 'summary';
  return {
    name: `${route}: ${name} for from`,
    because,
    path: `/api/v1/${route}?${REQUIRED_QUERY[route] ?? ''}from=${value}`,
    status,
  };
});

/** Times that are well formed and absurd: what is kept of them is answered, and the answer says which range that is. */
const FAR_TIMES: readonly HostileCase[] = ['summary', 'calls', 'sessions', 'series', 'loops'].flatMap(
  (route) =>
    (
      [
        ['a range of nineteen thousand years', 'from=now-999999w', 'what is kept of it is answered'],
        [
          'a range to the end of JavaScript',
          'from=now-1h&to=%2B275760-09-13T00:00:00Z',
          'a year has four digits',
        ],
        ['the largest milliseconds', 'from=now-1h&to=999999999999999', 'what is kept of it is answered'],
        ['the year zero', 'from=0000-01-01&to=0000-01-02', 'what is kept of it is answered'],
        ['the year 9999', 'from=9998-01-01&to=9999-12-31', 'what is kept of it is answered'],
      ] as const
    ).map(([name, query, because]) => ({
      name: `${route}: ${name}`,
      because,
      path: `/api/v1/${route}?${REQUIRED_QUERY[route] ?? ''}${query}`,
      status: query.includes('%2B') ? 400 : 200,
    })),
);

const NAMES: readonly HostileCase[] = GET_ROUTES.flatMap((route, at) => {
  const rows: readonly Row[] = [
    ['a misspelt parameter', 'sever=notes', 400, 'a filter that is dropped shows wrong numbers'],
    ['__proto__', '__proto__=x', 400, 'it is a name like others'],
    ['constructor', 'constructor=x', 400, 'it is a name like others'],
    ['a list in brackets', 'tool[]=a&tool[]=b', 400, 'there are no lists'],
    ['an object in brackets', 'tool[$ne]=a', 400, 'there are no operators'],
    [
      'a parameter twice that is no filter',
      'from=now-1h&from=now-2h',
      400,
      'it is unknown which one is meant',
    ],
    [
      'two thousand parameters',
      Array.from({ length: 2_000 }, (_, n) => `a${n}=1`).join('&'),
      400,
      'none of them is known',
    ],
    ['a setting of the engine', 'max_memory_usage=1', 400, 'settings are ours'],
    ['a query of the engine', `query=${encoded('SELECT 1')}`, 400, 'there is no SQL from outside'],
  ];
  const [name, query, status, because] = rows[at % rows.length] ?? ['', '', 0, ''];
  return [
    {
      name: `${route}: ${name}`,
      because,
      path: `/api/v1/${route}?${REQUIRED_QUERY[route] ?? ''}${query}`,
      status,
    },
  ];
});

const cursorOf = (value: unknown): string => Buffer.from(JSON.stringify(value)).toString('base64url');

const PAGES: readonly HostileCase[] = ['calls', 'sessions', 'loops'].flatMap((route) =>
  (
    [
      ['a limit of nothing', 'limit=', 'it is a number'],
      ['a limit of zero', 'limit=0', 'a page has a row'],
      ['a negative limit', 'limit=-1', 'a page has a row'],
      ['a limit of half a row', 'limit=1.5', 'rows are whole'],
      ['a limit of NaN', 'limit=NaN', 'it is no number'],
      ['a limit of 1e9', 'limit=1e9', 'a page is bounded'],
      ['a limit with SQL', `limit=${encoded('1; DROP TABLE calls')}`, 'it is no number'],
      ['a cursor of junk', 'cursor=AAAA', 'it is none of ours'],
      ['a cursor of another list', `cursor=${cursorOf(['other', 1, 2, 'x'])}`, 'it belongs elsewhere'],
      [
        'a cursor with SQL in its key',
        `cursor=${cursorOf([route, 1, 2, "' OR 1=1 --"])}`,
        'its key is typed',
      ],
      ['a cursor of an object', `cursor=${cursorOf({ __proto__: { a: 1 } })}`, 'it is a list'],
      [
        'a cursor of numbers that are none',
        `cursor=${cursorOf([route, 1e300, -5, null])}`,
        'its range is typed',
      ],
      ['a cursor of four thousand letters', `cursor=${'A'.repeat(4_000)}`, 'it is shorter'],
    ] as const
  ).map(([name, query, because]) => ({
    name: `${route}: ${name}`,
    because,
    path: `/api/v1/${route}?${query}`,
    status: 400,
  })),
);

const CHOICES: readonly HostileCase[] = [
  ['series without a metric', 'series', 'the metric is needed', 400],
  ['series of another metric', 'series?metric=p99.9', 'there are four', 400],
  ['series by a column', 'series?metric=calls&by=error_message', 'there are three', 400],
  ['series by SQL', `series?metric=calls&by=${encoded('tool) UNION SELECT 1')}`, 'there are three', 400],
  [
    'sessions in an order of SQL',
    `sessions?order=${encoded('recent; DROP TABLE calls')}`,
    'there are two',
    400,
  ],
  ['sessions with a count of NaN', 'sessions?minCalls=NaN', 'it is a number', 400],
  ['sessions with a negative count', 'sessions?minCalls=-1', 'it counts', 400],
  ['sessions that loop maybe', 'sessions?looping=maybe', 'they do or they do not', 400],
  ['loops in another state', 'loops?state=__proto__', 'there are few', 400],
  ['loops of another severity', 'loops?severity=constructor', 'there are three', 400],
  ['loops of another kind', 'loops?kind=toString', 'there are few', 400],
  ['calls with a code of 65 letters', `calls?code=${'x'.repeat(65)}`, 'codes are shorter', 400],
  ['calls that failed maybe', 'calls?errors=1', 'they did or they did not', 400],
  ['calls of an unknown outcome', 'calls?outcome=splendid', 'it finds nothing', 200],
  ['calls of a session of slashes', `calls?session=${encoded('../../a')}`, 'it finds nothing', 200],
].map(([name, path, because, status]) => ({
  name: String(name),
  because: String(because),
  path: `/api/v1/${path}`,
  status: Number(status),
}));

const SESSIONS: readonly HostileCase[] = (
  [
    ['with a slash', encoded('a/b'), 404, 'no session is called so'],
    ['that climbs', encoded('../../../etc/passwd'), 404, 'no file is read'],
    ['that climbs twice encoded', '%252e%252e%252f', 404, 'it is decoded once'],
    ['with SQL', encoded("' OR 1=1 --"), 404, 'it is bound'],
    ['with a NUL', 'a%00b', 404, 'it is a character'],
    ['of ten thousand letters', 'x'.repeat(10_000), 404, 'no session is called so'],
    ['that is no UTF-8', '%ff', 400, 'a path is text'],
    ['called __proto__', '__proto__', 404, 'no session is called so'],
    ['with another parameter', 'x?tool=a', 400, 'a session is asked for by its server only'],
    ['with a forged cursor', `x?cursor=${cursorOf(['session', 0, 1, 'x'])}`, 400, 'it is none of ours'],
  ] as const
).map(([name, id, status, because]) => ({
  name: `a session ${name}`,
  because,
  path: `/api/v1/sessions/${id}`,
  status,
}));

const JSON_TYPE = { 'content-type': 'application/json' };

function postCase(
  path: string,
  rows: readonly (readonly [string, unknown, number, string])[],
): HostileCase[] {
  return rows.map(([name, body, status, because]) => ({
    name: `${path}: ${name}`,
    because,
    method: 'POST',
    path: `/api/v1/${path}`,
    headers: JSON_TYPE,
    body: typeof body === 'string' ? body : JSON.stringify(body),
    status,
  }));
}

const matchers = [{ name: 'tool', value: 'x' }];

const BODIES: readonly HostileCase[] = [
  ...postCase('alerts/silences', [
    ['no JSON', '{', 400, 'it cannot be read'],
    ['a list', [], 400, 'it is an object'],
    ['null', 'null', 400, 'it is an object'],
    ['no matcher', { matchers: [], durationSeconds: 60 }, 400, 'it would silence everything'],
    [
      'seventeen matchers',
      { matchers: Array(17).fill(matchers[0]), durationSeconds: 60 },
      400,
      'sixteen are enough',
    ],
    [
      'an unknown label',
      { matchers: [{ name: '__proto__', value: 'x' }], durationSeconds: 60 },
      400,
      'labels are known',
    ],
    ['no duration', { matchers }, 400, 'it would have no end'],
    ['a negative duration', { matchers, durationSeconds: -1 }, 400, 'it would end before it begins'],
    ['a duration of a century', { matchers, durationSeconds: 3_153_600_000 }, 400, 'a year is the longest'],
    ['a duration of half a second', { matchers, durationSeconds: 0.5 }, 400, 'seconds are whole'],
    ['a duration in a text', { matchers, durationSeconds: '60' }, 400, 'it is a number'],
    ['a comment of a book', { matchers, durationSeconds: 60, comment: 'x'.repeat(501) }, 400, 'it is a line'],
    ['another member', { matchers, durationSeconds: 60, id: 'mine' }, 400, 'ids are ours'],
    [
      '__proto__',
      `{"__proto__":{"a":1},"matchers":[],"durationSeconds":60}`,
      400,
      'it is a member like others',
    ],
    [
      'seventeen kilobytes',
      { matchers, durationSeconds: 60, comment: 'x'.repeat(17_000) },
      413,
      'it is small',
    ],
  ]),
  ...postCase('alerts/test', [
    ['an unknown receiver', { receiver: 'nobody' }, 400, 'nobody is told'],
    ['an address', { receiver: 'http://169.254.169.254/' }, 400, 'receivers are named in a file'],
    ['no receiver', {}, 400, 'nobody is told'],
    ['a receiver of the prototype', { receiver: 'constructor' }, 400, 'receivers are named in a file'],
    ['a list of receivers', { receiver: ['a'] }, 400, 'it is one'],
    ['a long name', { receiver: 'x'.repeat(65) }, 400, 'names are shorter'],
  ]),
  ...postCase('login', [
    ['no token', {}, 400, 'there is nothing to compare'],
    ['a token of a number', { token: 5 }, 400, 'it is a text'],
    ['a token of an object', { token: { length: 16 } }, 400, 'it is a text'],
    ['a token of two kilobytes', { token: 'x'.repeat(2_000) }, 400, 'tokens are shorter'],
    ['five kilobytes', { token: 'x'.repeat(5_000) }, 413, 'it is small'],
    ['another member', { token: 'x'.repeat(20), admin: true }, 400, 'there is one member'],
  ]),
  {
    name: 'a silence as a form',
    because: 'a page of another origin can send one',
    method: 'POST',
    path: '/api/v1/alerts/silences',
    headers: { 'content-type': 'application/x-www-form-urlencoded' },
    body: 'matchers=x',
    status: 400,
  },
  {
    name: 'a silence as plain text',
    because: 'a page of another origin can send it',
    method: 'POST',
    path: '/api/v1/alerts/silences',
    headers: { 'content-type': 'text/plain' },
    body: JSON.stringify({ matchers, durationSeconds: 60 }),
    status: 400,
  },
  {
    name: 'a silence in another charset',
    because: 'JSON is UTF-8',
    method: 'POST',
    path: '/api/v1/alerts/silences',
    headers: { 'content-type': 'application/json; charset=shift_jis' },
    body: '{}',
    status: 415,
  },
  {
    name: 'a silence from another origin',
    because: 'it is not our page',
    method: 'POST',
    path: '/api/v1/alerts/silences',
    headers: { ...JSON_TYPE, origin: 'https://evil.example' },
    body: JSON.stringify({ matchers, durationSeconds: 60 }),
    status: 403,
  },
  {
    name: 'spans from another origin',
    because: 'it is a page',
    method: 'POST',
    path: '/v1/traces',
    headers: { ...JSON_TYPE, origin: 'https://evil.example' },
    body: '{}',
    status: 403,
  },
  {
    name: 'spans from a sandboxed frame',
    because: 'it is a page',
    method: 'POST',
    path: '/v1/traces',
    headers: { ...JSON_TYPE, origin: 'null' },
    body: '{}',
    status: 403,
  },
  {
    name: 'figures for another site',
    because: 'its time would tell how much there is',
    path: '/api/v1/summary',
    headers: { 'sec-fetch-site': 'cross-site', 'sec-fetch-mode': 'no-cors' },
    status: 403,
  },
  {
    name: 'metrics for another site',
    because: 'its time would tell how much there is',
    path: '/metrics',
    headers: { 'sec-fetch-site': 'same-site', 'sec-fetch-mode': 'cors' },
    status: 403,
  },
  {
    name: 'the end of a silence that never was',
    because: 'no silence has that id',
    method: 'DELETE',
    path: '/api/v1/alerts/silences/..%2F..%2Fx',
    status: 404,
  },
  {
    name: 'the end of a silence called __proto__',
    because: 'no silence has that id',
    method: 'DELETE',
    path: '/api/v1/alerts/silences/__proto__',
    status: 404,
  },
  {
    name: 'events with a forged range',
    because: 'it runs backwards',
    path: '/api/v1/alerts/events?from=now&to=now-1h',
    status: 400,
  },
  {
    name: 'alerts with a parameter',
    because: 'there is none',
    path: '/api/v1/alerts?state=firing',
    status: 400,
  },
  {
    name: 'a preflight',
    because: 'no other origin is ever let in',
    method: 'OPTIONS',
    path: '/api/v1/summary',
    headers: { origin: 'https://evil.example', 'access-control-request-method': 'GET' },
    status: 403,
  },
];

const HEADS: readonly HostileCase[] = (
  [
    ['another host', { host: 'evil.example' }, 403, 'a name may have been rebound to us'],
    ['a host that begins like ours', { host: '127.0.0.1.evil.example' }, 403, 'it is another name'],
    ['a host with a user', { host: 'localhost@evil.example' }, 403, 'it is another name'],
    ['a host of junk', { host: '[::1' }, 403, 'it is no name'],
    ['a forwarded host', { 'x-forwarded-host': 'evil.example' }, 200, 'nobody asks that head'],
    ['another method in a head', { 'x-http-method-override': 'DELETE' }, 200, 'nobody asks that head'],
    [
      'another URL in a head',
      { 'x-original-url': '/metrics', 'x-rewrite-url': '/metrics' },
      200,
      'nobody asks that head',
    ],
    ['an Accept of junk', { accept: ';;;,,,q=9' }, 200, 'there is one form but for exports'],
    ['an encoding of junk', { 'accept-encoding': 'gzip;q=NaN, *;q=-1' }, 200, 'plain is always right'],
    ['a range', { range: 'bytes=0-18446744073709551615' }, 200, 'answers have none'],
    [
      'a condition of junk',
      { 'if-none-match': '*', 'if-modified-since': 'never' },
      304,
      'by the specification * matches whatever is there',
    ],
    ['a cookie of junk', { cookie: 'toolscope_session=__proto__; ;=;a' }, 200, 'no token is set'],
    ['a cookie of eight kilobytes', { cookie: `a=${'x'.repeat(8_000)}` }, 200, 'it is only long'],
    ['a head of twenty kilobytes', { 'x-long': 'x'.repeat(20_000) }, 431, 'heads are bounded'],
    ['an authorization of junk', { authorization: 'Bearer \u00ff' }, 200, 'no token is set'],
    ['an upgrade', { connection: 'upgrade', upgrade: 'websocket' }, 200, 'there are no web sockets'],
  ] as const
).map(([name, headers, status, because]) => ({
  name: `figures with ${name}`,
  because,
  path: '/api/v1/servers',
  headers,
  status,
}));

const PATHS: readonly HostileCase[] = (
  [
    ['/../../package.json', 200, 'it is a page that shows nothing'],
    ['/..%2f..%2fpackage.json', 404, 'no file has that name'],
    ['/%2e%2e/%2e%2e/package.json', 200, 'it is a page that shows nothing'],
    ['/assets/..%2f..%2f..%2fpackage.json', 404, 'it begins right and climbs'],
    ['/assets/%5c..%5c..%5cpackage.json', 404, 'a backslash is a letter'],
    ['/assets/....//....//package.json', 404, 'four dots are a name'],
    ['//etc/passwd', 200, 'it is a page that shows nothing'],
    ['/assets/%00.js', 404, 'no file has it in its name'],
    ['/%', 400, 'the escape is unfinished'],
    ['/%c0%ae%c0%ae/', 400, 'it is no UTF-8'],
    ['/.git/config', 200, 'it is a page that shows nothing'],
    ['/assets/', 404, 'nothing is listed'],
    ['/index.html.map', 404, 'there is none'],
    ['/api', 404, 'it is no page'],
    ['/api/v1', 404, 'it is no route'],
    ['/api/v1/', 404, 'it is no route'],
    ['/api/v1/unknown', 404, 'it is no route'],
    ['/API/v1/unknown', 404, 'it is no route in capitals either'],
    ['/api/v2/summary', 404, 'there is no second version'],
    ['/api/v1/summary/extra', 404, 'nothing is behind it'],
    ['/api/v1/%73ummary', 404, 'a route is spelt one way'],
    [`/${'a'.repeat(9_000)}`, 200, 'it is a page that shows nothing'],
    ['/metrics/../api/v1/nothing', 404, 'nobody resolves it'],
    ['/healthz/x', 404, 'nothing is behind it'],
  ] as const
).map(([path, status, because]) => ({
  name: `the path ${path.slice(0, 60)}`,
  because,
  path,
  headers: { accept: 'text/html' },
  status,
}));

const METHODS: readonly HostileCase[] = (
  [
    ['POST', '/api/v1/summary', 404, 'figures are read'],
    ['DELETE', '/api/v1/calls', 404, 'nobody deletes calls so'],
    ['PUT', '/api/v1/alerts', 404, 'rules are changed in their file'],
    ['PATCH', '/', 404, 'a page is read'],
    ['TRACE', '/api/v1/summary', 404, 'heads are not repeated'],
    ['PROPFIND', '/', 404, 'there is no WebDAV'],
  ] as const
).map(([method, path, status, because]) => ({ name: `${method} ${path}`, because, method, path, status }));

export const API_CASES: readonly HostileCase[] = [
  ...FILTERS,
  ...TIMES,
  ...FAR_TIMES,
  ...NAMES,
  ...PAGES,
  ...CHOICES,
  ...SESSIONS,
  ...BODIES,
  ...HEADS,
  ...PATHS,
  ...METHODS,
];
