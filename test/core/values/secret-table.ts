// Secrets and what only looks like them. Used twice: against the rules alone, and through servers, wire, service and
// store. Secrets are put together here at run time from parts, by a generator that is no secret's, so that no scanner
// takes this file for a leak.

export interface Secret {
  readonly name: string;
  /** As somebody would write it, with the secret in it. */
  readonly text: string;
  /** The same without the words around it. */
  readonly bare: string;
  /** What must be found nowhere. */
  readonly needle: string;
  readonly because: string;
}

export interface NearSecret {
  readonly name: string;
  readonly text: string;
  readonly because: string;
}

/** A secret that only its key gives away. */
export interface KeyedSecret {
  readonly name: string;
  readonly value: Readonly<Record<string, unknown>>;
  readonly needle: string;
  readonly because: string;
}

const LOWER = 'abcdefghijklmnopqrstuvwxyz';
const UPPER = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ';
const DIGITS = '0123456789';
const ALNUM = LOWER + UPPER + DIGITS;
const HEX = '0123456789abcdef';

let state = 20_261_121;

/** The same characters in every run: a linear congruence, good enough to look drawn. */
function draw(length: number, alphabet = ALNUM): string {
  let text = '';
  while (text.length < length) {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    text += alphabet[Math.floor((state / 2 ** 32) * alphabet.length)] ?? '';
  }
  return text;
}

/** A key of prefix and drawn rest, in a sentence. */
function key(
  name: string,
  because: string,
  {
    head,
    tail,
    around = ['the key is ', ', keep it'],
  }: {
    head: string[];
    tail: string;
    around?: [string, string];
  },
): Secret {
  const [before, after] = around;
  const secret = `${head.join('')}${tail}`;
  // Without its @ nothing in an address is a password.
  const bare = after.startsWith('@') ? secret + after : secret;
  return { name, text: `${before}${secret}${after}`, bare, needle: tail, because };
}

const PEM_LINE = draw(64, `${ALNUM}+/`);
const PEM_LAST = draw(64, `${ALNUM}+/`);
const pem = (kind: string): string =>
  [
    ['-----BEGIN', kind, 'KEY-----'].join(' '),
    PEM_LINE,
    PEM_LAST,
    ['-----END', kind, 'KEY-----'].join(' '),
  ].join('\n');

const JWT_HEAD = Buffer.from('{"alg":"HS256","typ":"JWT"}').toString('base64url');
const JWT_BODY = Buffer.from(`{"sub":"${draw(12)}","admin":true}`).toString('base64url');
const JWT = `${JWT_HEAD}.${JWT_BODY}.${draw(43)}`;
const PASSWORD = `Tr0ub4dor&${draw(6)}`;
const mail = (user: string, at = '@'): string => `${user}${at}${['example', 'org'].join('.')}`;

export const SECRETS: readonly Secret[] = [
  key('aws access key', 'AKIA and sixteen', { head: ['AK', 'IA'], tail: draw(16, `${UPPER}234567`) }),
  key('aws session key', 'ASIA is as good for an hour', {
    head: ['AS', 'IA'],
    tail: draw(16, `${UPPER}234567`),
  }),
  key('aws key in capitals as a code', 'a constant in capitals is no code if it is a key', {
    head: ['AK', 'IA'],
    tail: draw(16, `${UPPER}234567`),
    around: ['', ': refused'],
  }),
  key('aws secret by its name', 'forty characters that only the name gives away', {
    head: ['aws_secret_access', '_key='],
    tail: draw(40),
  }),
  key('github classic', 'ghp_', { head: ['gh', 'p_'], tail: draw(36) }),
  key('github oauth', 'gho_', { head: ['gh', 'o_'], tail: draw(36) }),
  key('github server', 'ghs_', { head: ['gh', 's_'], tail: draw(36) }),
  key('github fine-grained', 'github_pat_', { head: ['github', '_pat_'], tail: `${draw(22)}_${draw(59)}` }),
  key('github in a remote', 'a token is a user of a URL too', {
    head: ['https://x-access-', 'token:gh', 'p_'],
    tail: draw(36),
    around: ['cloning ', '@github.com/o/r.git'],
  }),
  key('gitlab', 'glpat-', { head: ['gl', 'pat-'], tail: draw(20) }),
  key('gitlab deploy', 'gldt-', { head: ['gl', 'dt-'], tail: draw(20) }),
  key('slack bot', 'xoxb-', {
    head: ['xo', 'xb-'],
    tail: `${draw(11, DIGITS)}-${draw(12, DIGITS)}-${draw(24)}`,
  }),
  key('slack user', 'xoxp-', { head: ['xo', 'xp-'], tail: `${draw(11, DIGITS)}-${draw(24)}` }),
  key('slack app', 'xapp-', {
    head: ['xa', 'pp-1-'],
    tail: `${draw(10)}-${draw(12, DIGITS)}-${draw(32, HEX)}`,
  }),
  key('slack webhook', 'whoever knows the address can post', {
    head: ['https://hooks.sl', 'ack.com/services/'],
    tail: `T${draw(8, UPPER)}/B${draw(8, UPPER)}/${draw(24)}`,
  }),
  key('discord webhook', 'the same of Discord', {
    head: ['https://dis', 'cord.com/api/webhooks/'],
    tail: `${draw(18, DIGITS)}/${draw(40)}`,
  }),
  key('stripe secret', 'sk_live_', { head: ['sk', '_live_'], tail: draw(24) }),
  key('stripe restricted', 'rk_live_', { head: ['rk', '_live_'], tail: draw(24) }),
  key('stripe test', 'a test key is somebody’s too', { head: ['sk', '_test_'], tail: draw(24) }),
  key('stripe webhook', 'whsec_', { head: ['wh', 'sec_'], tail: draw(32) }),
  key('openai classic', 'sk- and 48', { head: ['s', 'k-'], tail: draw(48) }),
  key('openai project', 'sk-proj-', { head: ['sk', '-proj-'], tail: `${draw(24)}_${draw(40)}` }),
  key('anthropic', 'sk-ant-', { head: ['sk', '-ant-api03-'], tail: `${draw(40)}-${draw(20)}AA` }),
  key('openrouter', 'sk-or-v1-', { head: ['sk', '-or-v1-'], tail: draw(64, HEX) }),
  key('google api', 'AIza', { head: ['AI', 'za'], tail: draw(35) }),
  key('google oauth', 'ya29.', { head: ['ya', '29.'], tail: draw(60) }),
  key('google client secret', 'GOCSPX-', { head: ['GOC', 'SPX-'], tail: draw(28) }),
  key('azure storage', 'AccountKey of a connection string', {
    head: ['DefaultEndpointsProtocol=https;AccountName=x;Account', 'Key='],
    tail: draw(86),
    around: ['', '==;EndpointSuffix=core.windows.net'],
  }),
  key('azure service bus', 'SharedAccessKey', {
    head: ['Endpoint=sb://x/;SharedAccess', 'Key='],
    tail: draw(43),
  }),
  key('azure sas', 'sig of a signed address', {
    head: ['https://x.blob.core.windows.net/c?sv=2024-01-01&', 'sig='],
    tail: `${draw(40)}%2B`,
    around: ['', '&se=2027-01-01'],
  }),
  key('azure client secret', 'Q~ in the fifth place', { head: ['a1B', '8Q', '~'], tail: draw(34) }),
  key('npm', 'npm_', { head: ['np', 'm_'], tail: draw(36) }),
  key('pypi', 'pypi-AgE…', { head: ['py', 'pi-'], tail: `AgEIcHlwaS5vcmc${draw(60)}` }),
  key('sendgrid', 'SG. and two parts', { head: ['S', 'G.'], tail: `${draw(22)}.${draw(43)}` }),
  key('twilio', 'SK and 32 hex', { head: ['S', 'K'], tail: draw(32, HEX) }),
  key('telegram', 'number, colon, AA', { head: [draw(10, DIGITS), ':A'], tail: `A${draw(33)}` }),
  key('discord bot', 'three parts of base64', {
    head: ['M', 'T'],
    tail: `${draw(24)}.${draw(6)}.${draw(30)}`,
  }),
  key('hugging face', 'hf_', { head: ['h', 'f_'], tail: draw(34) }),
  key('digitalocean', 'dop_v1_', { head: ['do', 'p_v1_'], tail: draw(64, HEX) }),
  key('shopify', 'shpat_', { head: ['shp', 'at_'], tail: draw(32, HEX) }),
  key('linear', 'lin_api_', { head: ['lin', '_api_'], tail: draw(40) }),
  key('notion', 'ntn_', { head: ['nt', 'n_'], tail: draw(46) }),
  key('notion old', 'secret_', { head: ['sec', 'ret_'], tail: draw(43) }),
  key('databricks', 'dapi and 32 hex', { head: ['da', 'pi'], tail: draw(32, HEX) }),
  key('vault', 'hvs.', { head: ['hv', 's.'], tail: draw(90) }),
  key('groq', 'gsk_', { head: ['gs', 'k_'], tail: draw(52) }),
  key('grafana', 'glsa_', { head: ['gl', 'sa_'], tail: `${draw(32)}_${draw(8, HEX)}` }),
  key('docker', 'dckr_pat_', { head: ['dckr', '_pat_'], tail: draw(27) }),
  {
    name: 'jwt',
    text: `got ${JWT} back`,
    bare: JWT,
    needle: JWT_BODY,
    because: 'a signed statement is a ticket',
  },
  {
    name: 'pem',
    text: pem('PRIVATE'),
    bare: pem('PRIVATE'),
    needle: PEM_LINE,
    because: 'a private key',
  },
  {
    name: 'ssh key',
    text: `wrote ${pem('OPENSSH PRIVATE')} to disk`,
    bare: pem('OPENSSH PRIVATE'),
    needle: PEM_LAST,
    because: 'its last line too',
  },
  key('bearer header', 'whatever the token looks like', {
    head: ['Authorization: Bea', 'rer '],
    tail: draw(24, LOWER),
  }),
  key('bearer in prose', 'the scheme tells', { head: ['Bea', 'rer '], tail: draw(30) }),
  key('basic header', 'base64 of user and password', {
    head: ['Authorization: Ba', 'sic '],
    tail: Buffer.from(`ada:${PASSWORD}`).toString('base64'),
  }),
  key('cookie header', 'cookies are sessions', {
    head: ['Cookie: theme=dark; s', 'id='],
    tail: draw(26),
    around: ['', ''],
  }),
  key('url password', 'credentials of a database', {
    head: ['postgres://app', ':'],
    tail: draw(14),
    around: ['cannot reach ', '@db.internal:5432/app'],
  }),
  key('url password with a slash-free @', 'a password may hold an @', {
    head: ['mysql://root', ':p@'],
    tail: draw(12),
    around: ['', '@db/x'],
  }),
  key('redis without user', 'a password needs no user', {
    head: ['redis://', ':'],
    tail: draw(20),
    around: ['', '@cache:6379/0'],
  }),
  key('password assignment', 'the name tells', {
    head: ['pass', 'word='],
    tail: PASSWORD.slice(0, 10) + draw(5),
  }),
  key('password of an odd case', 'names in any case style', { head: ['DB_', 'PASSWORD: '], tail: draw(12) }),
  key('client secret in a form body', 'form bodies are texts', {
    head: ['grant_type=client_credentials&client_id=x&client_', 'secret='],
    tail: draw(32),
    around: ['', '&scope=a'],
  }),
  key('token of a query string', 'access_token', {
    head: ['https://a.example/cb?state=1&access_', 'token='],
    tail: draw(22),
  }),
  key('nested form name', 'user[password], encoded', { head: ['user%5Bpass', 'word%5D='], tail: draw(12) }),
  key('json in a string', 'JSON inside a text is read', {
    head: ['{"user":"ada","api_', 'key":"'],
    tail: draw(18),
    around: ['', '"}'],
  }),
  key('json in json in a string', 'and JSON inside that', {
    head: ['{"body":"{\\"client_', 'secret\\":\\"'],
    tail: draw(18),
    around: ['', '\\"}"}'],
  }),
  key('json that was cut', 'the closing quote is missing', {
    head: ['{"a":1,"refresh_', 'token":"'],
    tail: draw(18),
    around: ['', ''],
  }),
  key('command line', 'a flag and its value', { head: ['deploy --api-', 'token '], tail: draw(18) }),
  key('e-mail address', 'a person', {
    head: [],
    tail: mail(`ada.${draw(8, LOWER)}`),
    around: ['write to ', ' soon'],
  }),
  key('e-mail in a query', '%40 is an @', {
    head: ['?user='],
    tail: mail(`ada.${draw(8, LOWER)}`, '%40'),
    around: ['', ''],
  }),
  key('card', 'passes Luhn', { head: [], tail: ['4111', '1111', '1111', '1111'].join('') }),
  key('card in groups', 'with blanks', { head: [], tail: ['5555', '5555', '5555', '4444'].join(' ') }),
  key('card with dashes', 'with dashes', { head: [], tail: ['3782', '822463', '10005'].join('-') }),
  key('card before its code', 'what stands beside it hides nothing', {
    head: [],
    tail: ['6011', '0009', '9013', '9424'].join(' '),
    around: ['paid with ', ' 123'],
  }),
  key('iban', 'passes mod 97', { head: [], tail: ['DE89', '3704', '0044', '0532', '0130', '00'].join(' ') }),
  key('sql password', 'IDENTIFIED BY', {
    head: ['CREATE USER x IDENTIFIED', " BY '"],
    tail: draw(12),
    around: ['', "'"],
  }),
];

export const KEYED_SECRETS: readonly KeyedSecret[] = [
  ...(
    [
      ['password', 'plain'],
      ['userPasswd', 'camel case'],
      ['DB-PASSWORD', 'capitals and hyphens'],
      ['client_secret', 'snake case'],
      ['X-Api-Key', 'a header'],
      ['privateKey', 'camel case'],
      ['AccessToken', 'Pascal case'],
      ['Set-Cookie', 'a header of an answer'],
      ['proxy-authorization', 'a header of a proxy'],
      ['credentials', 'several at once'],
      ['SLACK_BOT_TOKEN', 'an environment variable'],
      ['connectionString', 'holds a password mostly'],
    ] as const
  ).map(([name, because]): KeyedSecret => {
    const needle = `plain ${draw(12, LOWER)}`;
    return { name, value: { [name]: needle }, needle, because };
  }),
  ...[`plain ${draw(11, LOWER)}`].map((needle) => ({
    name: 'nested',
    value: { outer: [{ credentials: { user: 'x', key: needle } }] },
    needle,
    because: 'all that stands below a telling key goes',
  })),
  ...[`plain ${draw(11, LOWER)}`].map((needle) => ({
    name: 'pair',
    value: { headers: [{ name: 'Authorization', value: needle }] },
    needle,
    because: 'headers are often lists of pairs',
  })),
  ...[`plain ${draw(11, LOWER)}`].map((needle) => ({
    name: 'flag',
    value: { argv: ['login', '--password', needle] },
    needle,
    because: 'a command line is a list',
  })),
  ...[`a-${draw(8, LOWER)}`].map((needle) => ({
    name: 'key that is an address',
    value: { seen: { [mail(needle)]: 3 } },
    needle: mail(needle),
    because: 'maps are keyed by people',
  })),
];

const near = (name: string, text: string, because: string): NearSecret => ({ name, text, because });

const HEX_AROUND = ['a3f9c07be1d24a8f', 'c0ffee77'] as const;

export const NEAR_SECRETS: readonly NearSecret[] = [
  near('git sha', `fixed in ${draw(40, HEX)}`, 'a commit is public'),
  near('short sha', 'reverted 1a2b3c4d', 'so is a short one'),
  near('sha256', `sha256:${draw(64, HEX)}`, 'an image digest'),
  near('uuid', '7b4c1d02-9a3e-4f5b-8c6d-0e1f2a3b4c5d', 'an id'),
  near('ulid', '01ARZ3NDEKTSV4RRFFQ69G5FAV', 'an id in capitals'),
  near('task with a digest', `task-${draw(32, HEX)}`, 'ends as the prefix of a key'),
  near('task with words', 'disk_test_write_speed_of_the_array', 'ends as the prefix of a test key'),
  near('message of a catalogue', 'MSG.user_profile_settings.validation_error_text', 'ends as SG. begins'),
  near('name with a J', 'heyJohnny.example.settings', 'has the beginning of a JWT inside'),
  near('digest with a card inside', `${HEX_AROUND[0]}5105105105105100${HEX_AROUND[1]}`, 'is a digest'),
  near('letters and a long number', 'x55500011122233344455566', 'a card is not part of a longer number'),
  near('order number', 'order 4111 1111 1111 1112', 'fails Luhn'),
  near('long id', 'ticket 55500011122233344455566', 'a card is not part of a longer number'),
  near('nanoseconds', 'at 1763731200000000000', 'begins as no card does'),
  near('milliseconds', 'at 1763731200000', 'an instant'),
  near('phone', 'call +49 30 901820', 'too short for a card'),
  near('ip', 'listening on 192.168.10.20:5432', 'an address of a machine'),
  near('version', 'lodash@4.17.21 and react@19.0.0-rc.1', 'no mail goes there'),
  near('scope', '@modelcontextprotocol/sdk', 'a package'),
  near('git remote', 'git@github.com:org/repo.git', 'everybody is git'),
  near('picture', 'logo@2x.png', 'a picture for dense screens'),
  near('url', 'https://example.com:8443/a/b?page=2&sort=asc', 'nothing secret in it'),
  near('tokenize', 'tokenize the text and detokenize it', 'a verb'),
  near('tokens', 'maxTokens=200 next_page_token=Zm9vYmFy', 'counts and pages'),
  near('unexpected token', 'Unexpected token < in JSON at position 0', 'what a parser says'),
  near('policy', 'the password policy asks for eight characters', 'prose'),
  near('validator', 'password: Required', 'what a validator says'),
  near('validator of a type', 'token: expected string, received number', 'and of a type'),
  near('placeholder', `set password=<your password> or token=$\{TOKEN}`, 'a placeholder'),
  near('secretary', 'secretary: Jane', 'a profession'),
  near('compass', 'compass=north', 'ends as pass does'),
  near('monkey', 'monkey=banana', 'ends as key does'),
  near('sort key', 'primaryKey=id sort_key=created', 'keys of tables'),
  near('scikit', 'sk-learn-contrib-lightning', 'a package with a prefix of a key'),
  near('npm setting', 'npm_config_registry_of_the_company_network', 'a variable of a package manager'),
  near('hf', 'hf_hub_download', 'a function'),
  near('basic idea', 'a basic understanding of the bearer', 'prose'),
  near('basic auth', 'Basic authentication is off', 'a name of a scheme'),
  near('file', 'report-2026-Q3-FINAL_v2.tar.gz', 'looks like base64, is a file'),
  near('base64 word', 'aGVsbG8gd29ybGQ=', 'too short to be content'),
  near('counts', 'pass: 12 fail: 0', 'tests that passed'),
  near('heading', '----- BEGINNING -----', 'no PEM'),
  near('branch', 'feature/sk-1234-login-page', 'a ticket in a branch'),
  near('money', 'EUR 1,234,567.89', 'an amount'),
  near('coordinates', '52.520008, 13.404954', 'a place'),
  near('iban that is none', 'DE00370400440532013000', 'fails its check digits'),
  near('constant', 'ERR_HTTP2_STREAM_CANCEL', 'a code'),
];
