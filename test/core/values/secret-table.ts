// Secrets and what only looks like them. Used twice: against the rules alone, and through servers, wire, service and
// store. Secrets are put together here at run time from parts, by a generator that is no secret's, so that no scanner
// takes this file for a leak.

export interface SecretCase {
  readonly name: string;
  /** A realistic text that contains the secret. */
  readonly text: string;
  /** The same without the words around it. */
  readonly bare: string;
  /** What must be found nowhere. */
  readonly needle: string;
  readonly because: string;
}

export interface NearSecretCase {
  readonly name: string;
  readonly text: string;
  readonly because: string;
}

/** A secret that only its key gives away. */
export interface KeyedSecretCase {
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
function nextCharacters(length: number, alphabet = ALNUM): string {
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
): SecretCase {
  const [before, after] = around;
  const secret = `${head.join('')}${tail}`;
  // Without its @ nothing in an address is a password.
  const bare = after.startsWith('@') ? secret + after : secret;
  return { name, text: `${before}${secret}${after}`, bare, needle: tail, because };
}

const PEM_LINE = nextCharacters(64, `${ALNUM}+/`);
const PEM_LAST = nextCharacters(64, `${ALNUM}+/`);
const pem = (kind: string): string =>
  [
    ['-----BEGIN', kind, 'KEY-----'].join(' '),
    PEM_LINE,
    PEM_LAST,
    ['-----END', kind, 'KEY-----'].join(' '),
  ].join('\n');

const JWT_HEAD = Buffer.from('{"alg":"HS256","typ":"JWT"}').toString('base64url');
const JWT_BODY = Buffer.from(`{"sub":"${nextCharacters(12)}","admin":true}`).toString('base64url');
const JWT = `${JWT_HEAD}.${JWT_BODY}.${nextCharacters(43)}`;
const PASSWORD = `Tr0ub4dor&${nextCharacters(6)}`;
const mail = (user: string, at = '@'): string => `${user}${at}${['example', 'org'].join('.')}`;

export const SECRETS: readonly SecretCase[] = [
  key('aws access key', 'AKIA and sixteen', {
    head: ['AK', 'IA'],
    tail: nextCharacters(16, `${UPPER}234567`),
  }),
  key('aws session key', 'ASIA is as good for an hour', {
    head: ['AS', 'IA'],
    tail: nextCharacters(16, `${UPPER}234567`),
  }),
  key('aws key in capitals as a code', 'a constant in capitals is no code if it is a key', {
    head: ['AK', 'IA'],
    tail: nextCharacters(16, `${UPPER}234567`),
    around: ['', ': refused'],
  }),
  key('aws secret by its name', 'forty characters that only the name gives away', {
    head: ['aws_secret_access', '_key='],
    tail: nextCharacters(40),
  }),
  key('github classic', 'ghp_', { head: ['gh', 'p_'], tail: nextCharacters(36) }),
  key('github oauth', 'gho_', { head: ['gh', 'o_'], tail: nextCharacters(36) }),
  key('github server', 'ghs_', { head: ['gh', 's_'], tail: nextCharacters(36) }),
  key('github fine-grained', 'github_pat_', {
    head: ['github', '_pat_'],
    tail: `${nextCharacters(22)}_${nextCharacters(59)}`,
  }),
  key('github in a remote', 'a token is a user of a URL too', {
    head: ['https://x-access-', 'token:gh', 'p_'],
    tail: nextCharacters(36),
    around: ['cloning ', '@github.com/o/r.git'],
  }),
  key('gitlab', 'glpat-', { head: ['gl', 'pat-'], tail: nextCharacters(20) }),
  key('gitlab deploy', 'gldt-', { head: ['gl', 'dt-'], tail: nextCharacters(20) }),
  key('slack bot', 'xoxb-', {
    head: ['xo', 'xb-'],
    tail: `${nextCharacters(11, DIGITS)}-${nextCharacters(12, DIGITS)}-${nextCharacters(24)}`,
  }),
  key('slack user', 'xoxp-', {
    head: ['xo', 'xp-'],
    tail: `${nextCharacters(11, DIGITS)}-${nextCharacters(24)}`,
  }),
  key('slack app', 'xapp-', {
    head: ['xa', 'pp-1-'],
    tail: `${nextCharacters(10)}-${nextCharacters(12, DIGITS)}-${nextCharacters(32, HEX)}`,
  }),
  key('slack webhook', 'whoever knows the address can post', {
    head: ['https://hooks.sl', 'ack.com/services/'],
    tail: `T${nextCharacters(8, UPPER)}/B${nextCharacters(8, UPPER)}/${nextCharacters(24)}`,
  }),
  key('discord webhook', 'the same of Discord', {
    head: ['https://dis', 'cord.com/api/webhooks/'],
    tail: `${nextCharacters(18, DIGITS)}/${nextCharacters(40)}`,
  }),
  key('stripe secret', 'sk_live_', { head: ['sk', '_live_'], tail: nextCharacters(24) }),
  key('stripe restricted', 'rk_live_', { head: ['rk', '_live_'], tail: nextCharacters(24) }),
  key('stripe test', 'a test key is somebody’s too', { head: ['sk', '_test_'], tail: nextCharacters(24) }),
  key('stripe webhook', 'whsec_', { head: ['wh', 'sec_'], tail: nextCharacters(32) }),
  key('openai classic', 'sk- and 48', { head: ['s', 'k-'], tail: nextCharacters(48) }),
  key('openai project', 'sk-proj-', {
    head: ['sk', '-proj-'],
    tail: `${nextCharacters(24)}_${nextCharacters(40)}`,
  }),
  key('anthropic', 'sk-ant-', {
    head: ['sk', '-ant-api03-'],
    tail: `${nextCharacters(40)}-${nextCharacters(20)}AA`,
  }),
  key('openrouter', 'sk-or-v1-', { head: ['sk', '-or-v1-'], tail: nextCharacters(64, HEX) }),
  key('google api', 'AIza', { head: ['AI', 'za'], tail: nextCharacters(35) }),
  key('google oauth', 'ya29.', { head: ['ya', '29.'], tail: nextCharacters(60) }),
  key('google client secret', 'GOCSPX-', { head: ['GOC', 'SPX-'], tail: nextCharacters(28) }),
  key('azure storage', 'AccountKey of a connection string', {
    head: ['DefaultEndpointsProtocol=https;AccountName=x;Account', 'Key='],
    tail: nextCharacters(86),
    around: ['', '==;EndpointSuffix=core.windows.net'],
  }),
  key('azure service bus', 'SharedAccessKey', {
    head: ['Endpoint=sb://x/;SharedAccess', 'Key='],
    tail: nextCharacters(43),
  }),
  key('azure sas', 'sig of a signed address', {
    head: ['https://x.blob.core.windows.net/c?sv=2024-01-01&', 'sig='],
    tail: `${nextCharacters(40)}%2B`,
    around: ['', '&se=2027-01-01'],
  }),
  key('azure client secret', 'Q~ in the fifth place', { head: ['a1B', '8Q', '~'], tail: nextCharacters(34) }),
  key('npm', 'npm_', { head: ['np', 'm_'], tail: nextCharacters(36) }),
  key('pypi', 'pypi-AgE…', { head: ['py', 'pi-'], tail: `AgEIcHlwaS5vcmc${nextCharacters(60)}` }),
  key('sendgrid', 'SG. and two parts', {
    head: ['S', 'G.'],
    tail: `${nextCharacters(22)}.${nextCharacters(43)}`,
  }),
  key('twilio', 'SK and 32 hex', { head: ['S', 'K'], tail: nextCharacters(32, HEX) }),
  key('telegram', 'number, colon, AA', {
    head: [nextCharacters(10, DIGITS), ':A'],
    tail: `A${nextCharacters(33)}`,
  }),
  key('discord bot', 'three parts of base64', {
    head: ['M', 'T'],
    tail: `${nextCharacters(24)}.${nextCharacters(6)}.${nextCharacters(30)}`,
  }),
  key('hugging face', 'hf_', { head: ['h', 'f_'], tail: nextCharacters(34) }),
  key('digitalocean', 'dop_v1_', { head: ['do', 'p_v1_'], tail: nextCharacters(64, HEX) }),
  key('shopify', 'shpat_', { head: ['shp', 'at_'], tail: nextCharacters(32, HEX) }),
  key('linear', 'lin_api_', { head: ['lin', '_api_'], tail: nextCharacters(40) }),
  key('notion', 'ntn_', { head: ['nt', 'n_'], tail: nextCharacters(46) }),
  key('notion old', 'secret_', { head: ['sec', 'ret_'], tail: nextCharacters(43) }),
  key('databricks', 'dapi and 32 hex', { head: ['da', 'pi'], tail: nextCharacters(32, HEX) }),
  key('vault', 'hvs.', { head: ['hv', 's.'], tail: nextCharacters(90) }),
  key('groq', 'gsk_', { head: ['gs', 'k_'], tail: nextCharacters(52) }),
  key('grafana', 'glsa_', { head: ['gl', 'sa_'], tail: `${nextCharacters(32)}_${nextCharacters(8, HEX)}` }),
  key('docker', 'dckr_pat_', { head: ['dckr', '_pat_'], tail: nextCharacters(27) }),
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
    tail: nextCharacters(24, LOWER),
  }),
  key('bearer in prose', 'the scheme tells', { head: ['Bea', 'rer '], tail: nextCharacters(30) }),
  key('basic header', 'base64 of user and password', {
    head: ['Authorization: Ba', 'sic '],
    tail: Buffer.from(`ada:${PASSWORD}`).toString('base64'),
  }),
  key('cookie header', 'cookies are sessions', {
    head: ['Cookie: theme=dark; s', 'id='],
    tail: nextCharacters(26),
    around: ['', ''],
  }),
  key('url password', 'credentials of a database', {
    head: ['postgres://app', ':'],
    tail: nextCharacters(14),
    around: ['cannot reach ', '@db.internal:5432/app'],
  }),
  key('url password with a slash-free @', 'a password may hold an @', {
    head: ['mysql://root', ':p@'],
    tail: nextCharacters(12),
    around: ['', '@db/x'],
  }),
  key('redis without user', 'a password needs no user', {
    head: ['redis://', ':'],
    tail: nextCharacters(20),
    around: ['', '@cache:6379/0'],
  }),
  key('password assignment', 'the name tells', {
    head: ['pass', 'word='],
    tail: PASSWORD.slice(0, 10) + nextCharacters(5),
  }),
  key('password of an odd case', 'names in any case style', {
    head: ['DB_', 'PASSWORD: '],
    tail: nextCharacters(12),
  }),
  key('client secret in a form body', 'form bodies are texts', {
    head: ['grant_type=client_credentials&client_id=x&client_', 'secret='],
    tail: nextCharacters(32),
    around: ['', '&scope=a'],
  }),
  key('token of a query string', 'access_token', {
    head: ['https://a.example/cb?state=1&access_', 'token='],
    tail: nextCharacters(22),
  }),
  key('nested form name', 'user[password], encoded', {
    head: ['user%5Bpass', 'word%5D='],
    tail: nextCharacters(12),
  }),
  key('json in a string', 'JSON inside a text is read', {
    head: ['{"user":"ada","api_', 'key":"'],
    tail: nextCharacters(18),
    around: ['', '"}'],
  }),
  key('json in json in a string', 'and JSON inside that', {
    head: ['{"body":"{\\"client_', 'secret\\":\\"'],
    tail: nextCharacters(18),
    around: ['', '\\"}"}'],
  }),
  key('json that was cut', 'the closing quote is missing', {
    head: ['{"a":1,"refresh_', 'token":"'],
    tail: nextCharacters(18),
    around: ['', ''],
  }),
  key('command line', 'a flag and its value', {
    head: ['deploy --api-', 'token '],
    tail: nextCharacters(18),
  }),
  key('e-mail address', 'a person', {
    head: [],
    tail: mail(`ada.${nextCharacters(8, LOWER)}`),
    around: ['write to ', ' soon'],
  }),
  key('e-mail in a query', '%40 is an @', {
    head: ['?user='],
    tail: mail(`ada.${nextCharacters(8, LOWER)}`, '%40'),
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
    tail: nextCharacters(12),
    around: ['', "'"],
  }),
];

export const KEYED_SECRETS: readonly KeyedSecretCase[] = [
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
  ).map(([name, because]): KeyedSecretCase => {
    const needle = `plain ${nextCharacters(12, LOWER)}`;
    return { name, value: { [name]: needle }, needle, because };
  }),
  ...[`plain ${nextCharacters(11, LOWER)}`].map((needle) => ({
    name: 'nested',
    value: { outer: [{ credentials: { user: 'x', key: needle } }] },
    needle,
    because: 'all that stands below a telling key goes',
  })),
  ...[`plain ${nextCharacters(11, LOWER)}`].map((needle) => ({
    name: 'pair',
    value: { headers: [{ name: 'Authorization', value: needle }] },
    needle,
    because: 'headers are often lists of pairs',
  })),
  ...[`plain ${nextCharacters(11, LOWER)}`].map((needle) => ({
    name: 'flag',
    value: { argv: ['login', '--password', needle] },
    needle,
    because: 'a command line is a list',
  })),
  ...[`a-${nextCharacters(8, LOWER)}`].map((needle) => ({
    name: 'key that is an address',
    value: { seen: { [mail(needle)]: 3 } },
    needle: mail(needle),
    because: 'maps are keyed by people',
  })),
];

const nearSecretCase = (name: string, text: string, because: string): NearSecretCase => ({
  name,
  text,
  because,
});

const HEX_AROUND = ['a3f9c07be1d24a8f', 'c0ffee77'] as const;

export const NEAR_SECRETS: readonly NearSecretCase[] = [
  nearSecretCase('git sha', `fixed in ${nextCharacters(40, HEX)}`, 'a commit is public'),
  nearSecretCase('short sha', 'reverted 1a2b3c4d', 'so is a short one'),
  nearSecretCase('sha256', `sha256:${nextCharacters(64, HEX)}`, 'an image digest'),
  nearSecretCase('uuid', '7b4c1d02-9a3e-4f5b-8c6d-0e1f2a3b4c5d', 'an id'),
  nearSecretCase('ulid', '01ARZ3NDEKTSV4RRFFQ69G5FAV', 'an id in capitals'),
  nearSecretCase('task with a digest', `task-${nextCharacters(32, HEX)}`, 'ends as the prefix of a key'),
  nearSecretCase('task with words', 'disk_test_write_speed_of_the_array', 'ends as the prefix of a test key'),
  nearSecretCase(
    'message of a catalogue',
    'MSG.user_profile_settings.validation_error_text',
    'ends as SG. begins',
  ),
  nearSecretCase('name with a J', 'heyJohnny.example.settings', 'has the beginning of a JWT inside'),
  nearSecretCase(
    'digest with a card inside',
    `${HEX_AROUND[0]}5105105105105100${HEX_AROUND[1]}`,
    'is a digest',
  ),
  nearSecretCase(
    'letters and a long number',
    'x55500011122233344455566',
    'a card is not part of a longer number',
  ),
  nearSecretCase('order number', 'order 4111 1111 1111 1112', 'fails Luhn'),
  nearSecretCase('long id', 'ticket 55500011122233344455566', 'a card is not part of a longer number'),
  nearSecretCase('nanoseconds', 'at 1763731200000000000', 'begins as no card does'),
  nearSecretCase('milliseconds', 'at 1763731200000', 'an instant'),
  nearSecretCase('phone', 'call +49 30 901820', 'too short for a card'),
  nearSecretCase('ip', 'listening on 192.168.10.20:5432', 'an address of a machine'),
  nearSecretCase('version', 'lodash@4.17.21 and react@19.0.0-rc.1', 'no mail goes there'),
  nearSecretCase('scope', '@modelcontextprotocol/sdk', 'a package'),
  nearSecretCase('git remote', 'git@github.com:org/repo.git', 'everybody is git'),
  nearSecretCase('picture', 'logo@2x.png', 'a picture for dense screens'),
  nearSecretCase('url', 'https://example.com:8443/a/b?page=2&sort=asc', 'nothing secret in it'),
  nearSecretCase('tokenize', 'tokenize the text and detokenize it', 'a verb'),
  nearSecretCase('tokens', 'maxTokens=200 next_page_token=Zm9vYmFy', 'counts and pages'),
  nearSecretCase('unexpected token', 'Unexpected token < in JSON at position 0', 'what a parser says'),
  nearSecretCase('policy', 'the password policy asks for eight characters', 'prose'),
  nearSecretCase('validator', 'password: Required', 'what a validator says'),
  nearSecretCase('validator of a type', 'token: expected string, received number', 'and of a type'),
  nearSecretCase('placeholder', `set password=<your password> or token=$\{TOKEN}`, 'a placeholder'),
  nearSecretCase('secretary', 'secretary: Jane', 'a profession'),
  nearSecretCase('compass', 'compass=north', 'ends as pass does'),
  nearSecretCase('monkey', 'monkey=banana', 'ends as key does'),
  nearSecretCase('sort key', 'primaryKey=id sort_key=created', 'keys of tables'),
  nearSecretCase('scikit', 'sk-learn-contrib-lightning', 'a package with a prefix of a key'),
  nearSecretCase(
    'npm setting',
    'npm_config_registry_of_the_company_network',
    'a variable of a package manager',
  ),
  nearSecretCase('hf', 'hf_hub_download', 'a function'),
  nearSecretCase('basic idea', 'a basic understanding of the bearer', 'prose'),
  nearSecretCase('basic auth', 'Basic authentication is off', 'a name of a scheme'),
  nearSecretCase('file', 'report-2026-Q3-FINAL_v2.tar.gz', 'looks like base64, is a file'),
  nearSecretCase('base64 word', 'aGVsbG8gd29ybGQ=', 'too short to be content'),
  nearSecretCase('counts', 'pass: 12 fail: 0', 'tests that passed'),
  nearSecretCase('heading', '----- BEGINNING -----', 'no PEM'),
  nearSecretCase('branch', 'feature/sk-1234-login-page', 'a ticket in a branch'),
  nearSecretCase('money', 'EUR 1,234,567.89', 'an amount'),
  nearSecretCase('coordinates', '52.520008, 13.404954', 'a place'),
  nearSecretCase('iban that is none', 'DE00370400440532013000', 'fails its check digits'),
  nearSecretCase('constant', 'ERR_HTTP2_STREAM_CANCEL', 'a code'),
];
