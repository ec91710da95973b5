// The one table of settings: its names, where each may come from, what it allows, what it is when nobody says.
// The flags of `toolscope up`, the table in docs/operations.md and the type of Config are all derived from it.
// A secret has no flag on purpose: command lines are visible to every user of the machine.

import { isAbsolute, join, resolve } from 'node:path';
import { DEFAULT_NAME_LIMITS, type NameLimits } from '../../core/model/name-limits.ts';
import { CAPTURE_MODES, type CaptureMode } from '../../core/model/tool-call.ts';
import { resolveHomeDirectory } from './home-directory.ts';

/** Variables of the process, as `process.env` has them. */
export type Environment = Readonly<Record<string, string | undefined>> & {
  readonly XDG_DATA_HOME?: string | undefined;
  readonly XDG_STATE_HOME?: string | undefined;
};

export interface Setting<T> {
  /** As commander writes it, e.g. `--port <number>`; absent for secrets. */
  readonly flag?: string;
  readonly environment: string;
  /** The value may hold a secret, as a URL may, so a refusal does not repeat it. */
  readonly mayHoldSecret?: true;
  /** A secret is never printed, and `<environment>_FILE` may name a file that holds it. */
  readonly secret: boolean;
  readonly description: string;
  /** What `parse` takes, as the end of the sentence "expected …". */
  readonly allowed: string;
  /** @returns the value, or undefined when the text is not allowed */
  readonly parse: (text: string) => T | undefined;
  readonly fallback: (environment: Environment) => T;
  /** How the fallback reads in docs/operations.md. */
  readonly defaultLabel: string;
}

function defineSetting<T>(entry: Setting<T>): Setting<T> {
  return entry;
}

const LOG_LEVELS = ['silent', 'fatal', 'error', 'warn', 'info', 'debug', 'trace'] as const;
export type LogLevel = (typeof LOG_LEVELS)[number];

function oneOf<T extends string>(values: readonly T[]): Pick<Setting<T>, 'allowed' | 'parse'> {
  return { allowed: `one of ${values.join(', ')}`, parse: (text) => values.find((value) => value === text) };
}

function integerBetween(min: number, max: number): Pick<Setting<number>, 'allowed' | 'parse'> {
  return {
    allowed: `a whole number from ${min} to ${max}`,
    parse(text) {
      const value = /^\d{1,9}$/.test(text) ? Number(text) : Number.NaN;
      return value >= min && value <= max ? value : undefined;
    },
  };
}

/** Bytes, or a whole number of kibi-, mebi- or gibibytes. */
function parseBytes(text: string): number | undefined {
  const [, digits, unit = ''] = /^(\d{1,13})(KiB|MiB|GiB)?$/.exec(text) ?? [];
  return digits === undefined ? undefined : Number(digits) * (BYTES_OF_UNIT.get(unit) ?? 1);
}

const BYTES_OF_UNIT: ReadonlyMap<string, number> = new Map([
  ['KiB', 1024],
  ['MiB', 1024 ** 2],
  ['GiB', 1024 ** 3],
]);

function parsePrice(text: string): number | undefined {
  const price = /^\d{1,7}(\.\d{1,6})?$/.test(text) ? Number(text) : Number.NaN;
  return price <= 1_000_000 ? price : undefined;
}

const MAX_NAME_LIMIT = 100_000;

/** `kind=number` pairs; what is not named keeps its default. */
function parseNameLimits(text: string): NameLimits | undefined {
  const pairs = text.split(',').map((pair) => /^\s*(\w+)\s*=\s*(\d{1,6})\s*$/.exec(pair));
  const given = pairs.map((pair) => [pair?.[1] ?? '', Number(pair?.[2] ?? Number.NaN)] as const);
  const isAllowed = ([kind, limit]: readonly [string, number]): boolean =>
    Object.hasOwn(DEFAULT_NAME_LIMITS, kind) && limit >= 1 && limit <= MAX_NAME_LIMIT;
  return given.every(isAllowed) ? { ...DEFAULT_NAME_LIMITS, ...Object.fromEntries(given) } : undefined;
}

const MIN_JOURNAL_BYTES = 32 * 1024 ** 2;
const MAX_JOURNAL_BYTES = 1024 ** 4;

const HOST_NAME = /^(?:[a-z0-9_-]{1,63}\.)*[a-z0-9_-]{1,63}$/i;
const HOST_OR_ADDRESS = /^(?:[a-z0-9._-]{1,253}|\[?[0-9a-f:.]{2,45}\]?)$/i;

function parseHostList(text: string): readonly string[] | undefined {
  const names = text
    .split(',')
    .map((name) => name.trim().toLowerCase())
    .filter((name) => name !== '');
  return names.every((name) => HOST_NAME.test(name)) ? names : undefined;
}

function parseHttpUrl(text: string): string | undefined {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  return url && ['http:', 'https:'].includes(url.protocol) && hasDecodableCredentials(url)
    ? url.href
    : undefined;
}

/** A stray percent sign in a password would fail later, in words that repeat it. */
function hasDecodableCredentials({ username, password }: URL): boolean {
  try {
    decodeURIComponent(`${username}${password}`);
    return true;
  } catch {
    return false;
  }
}

/** XDG Base Directory 0.8: a relative path in the variable is invalid and must be ignored. */
function resolveDefaultDataDirectory(environment: Environment): string {
  const base = environment.XDG_DATA_HOME ?? '';
  return join(isAbsolute(base) ? base : join(resolveHomeDirectory(), '.local', 'share'), 'toolscope');
}

const pathText: Pick<Setting<string>, 'allowed' | 'parse'> = {
  allowed: 'a path',
  parse: (text) => (text.includes('\0') ? undefined : resolve(text)),
};

/** Printable ASCII without spaces: it travels in an `Authorization` header. */
const secretText: Pick<Setting<string | undefined>, 'allowed' | 'parse'> = {
  allowed: '16 to 512 printable ASCII characters without spaces',
  parse: (text) => (/^[\x21-\x7e]{16,512}$/.test(text) ? text : undefined),
};

export const SETTINGS = {
  host: defineSetting<string>({
    flag: '--host <address>',
    environment: 'TOOLSCOPE_HOST',
    secret: false,
    description: 'Address to listen on. One that is not loopback needs a token.',
    allowed: 'a host name or an IP address',
    parse: (text) => (HOST_OR_ADDRESS.test(text) ? text.replace(/^\[|\]$/g, '') : undefined),
    fallback: () => '127.0.0.1',
    defaultLabel: '`127.0.0.1`',
  }),
  port: defineSetting({
    flag: '--port <number>',
    environment: 'TOOLSCOPE_PORT',
    secret: false,
    description: 'Port of the dashboard, the API and OTLP; 0 picks a free one.',
    ...integerBetween(0, 65_535),
    fallback: () => 4318,
    defaultLabel: '`4318`',
  }),
  dataDirectory: defineSetting({
    flag: '--data-dir <path>',
    environment: 'TOOLSCOPE_DATA_DIR',
    secret: false,
    description: 'Where the journal and the embedded engine keep their files; made with mode 0700.',
    ...pathText,
    fallback: resolveDefaultDataDirectory,
    defaultLabel: '`$XDG_DATA_HOME/toolscope` or `~/.local/share/toolscope`',
  }),
  clickhouseUrl: defineSetting<string | undefined>({
    flag: '--clickhouse-url <url>',
    environment: 'CLICKHOUSE_URL',
    secret: false,
    mayHoldSecret: true,
    description: 'A ClickHouse server to use instead of the embedded engine; may hold the credentials.',
    allowed: 'an http or https URL',
    parse: parseHttpUrl,
    fallback: () => undefined,
    defaultLabel: 'the embedded engine',
  }),
  clickhouseUser: defineSetting<string>({
    environment: 'CLICKHOUSE_USER',
    secret: false,
    description: 'User of that server, unless its URL names one.',
    allowed: 'text',
    parse: (text) => text,
    fallback: () => 'default',
    defaultLabel: '`default`',
  }),
  clickhousePassword: defineSetting<string>({
    environment: 'CLICKHOUSE_PASSWORD',
    secret: true,
    description: 'Password of that user, unless the URL holds one.',
    allowed: 'text',
    parse: (text) => text,
    fallback: () => '',
    defaultLabel: 'none',
  }),
  token: defineSetting<string | undefined>({
    environment: 'TOOLSCOPE_TOKEN',
    secret: true,
    description: 'What every request but the health checks and the static page must carry as a bearer token.',
    ...secretText,
    fallback: () => undefined,
    defaultLabel: 'none, which only a loopback address allows',
  }),
  ingestToken: defineSetting<string | undefined>({
    environment: 'TOOLSCOPE_INGEST_TOKEN',
    secret: true,
    description:
      'A second token, for servers: it is good for sending spans and nothing else. Needs the first.',
    ...secretText,
    fallback: () => undefined,
    defaultLabel: 'none',
  }),
  allowedHosts: defineSetting<readonly string[]>({
    flag: '--allowed-hosts <names>',
    environment: 'TOOLSCOPE_ALLOWED_HOSTS',
    secret: false,
    description: 'Further names the service may be called by, beside loopback names and IP addresses.',
    allowed: 'host names separated by commas',
    parse: parseHostList,
    fallback: () => [],
    defaultLabel: 'none',
  }),
  retentionDays: defineSetting({
    flag: '--retention-days <days>',
    environment: 'TOOLSCOPE_RETENTION_DAYS',
    secret: false,
    description: 'How long single calls are kept; older spans are refused.',
    ...integerBetween(1, 3650),
    fallback: () => 30,
    defaultLabel: '`30`',
  }),
  rollupRetentionDays: defineSetting({
    flag: '--rollup-retention-days <days>',
    environment: 'TOOLSCOPE_ROLLUP_RETENTION_DAYS',
    secret: false,
    description: 'How long hourly figures and sessions are kept.',
    ...integerBetween(1, 3650),
    fallback: () => 396,
    defaultLabel: '`396`',
  }),
  payloadRetentionDays: defineSetting({
    flag: '--payload-retention-days <days>',
    environment: 'TOOLSCOPE_PAYLOAD_RETENTION_DAYS',
    secret: false,
    description: 'How long arguments and results are kept, in the modes that capture them.',
    ...integerBetween(1, 3650),
    fallback: () => 7,
    defaultLabel: '`7`',
  }),
  capture: defineSetting<CaptureMode>({
    flag: '--capture <mode>',
    environment: 'TOOLSCOPE_CAPTURE',
    secret: false,
    description: 'What may be stored of arguments and results that other emitters send along.',
    ...oneOf(CAPTURE_MODES),
    fallback: () => 'shape',
    defaultLabel: '`shape`',
  }),
  fingerprintKey: defineSetting<string | undefined>({
    environment: 'TOOLSCOPE_FINGERPRINT_KEY',
    secret: true,
    description: 'Key of the fingerprints; give servers and service the same one to compare across machines.',
    ...secretText,
    fallback: () => undefined,
    defaultLabel: "a file in the user's state directory, made once",
  }),
  journalMaxBytes: defineSetting({
    flag: '--journal-max-bytes <size>',
    environment: 'TOOLSCOPE_JOURNAL_MAX_BYTES',
    secret: false,
    description: 'How much may wait for the store; beyond it senders are answered 429 and keep their spans.',
    allowed: 'a size from 32MiB to 1024GiB, such as 512MiB, or a number of bytes',
    parse(text) {
      const bytes = parseBytes(text) ?? 0;
      return bytes >= MIN_JOURNAL_BYTES && bytes <= MAX_JOURNAL_BYTES ? bytes : undefined;
    },
    fallback: () => 1024 ** 3,
    defaultLabel: '`1GiB`',
  }),
  nameLimits: defineSetting<NameLimits>({
    flag: '--name-limits <list>',
    environment: 'TOOLSCOPE_NAME_LIMITS',
    secret: false,
    description:
      'How many different names a day may bring, of one server; of `server` and `total` (of a kind) altogether. The rest is stored as `other`.',
    allowed: `pairs such as server=2000,tool=1000, each from 1 to ${MAX_NAME_LIMIT}, of ${Object.keys(DEFAULT_NAME_LIMITS).join(', ')}`,
    parse: parseNameLimits,
    fallback: () => DEFAULT_NAME_LIMITS,
    defaultLabel: Object.entries(DEFAULT_NAME_LIMITS)
      .map(([kind, limit]) => `\`${kind}=${limit}\``)
      .join(' '),
  }),
  diskReserveBytes: defineSetting<number | undefined>({
    flag: '--disk-reserve-bytes <size>',
    environment: 'TOOLSCOPE_DISK_RESERVE_BYTES',
    secret: false,
    description: 'Free space of the disk below which senders are answered 429, before the engine runs out.',
    allowed: 'a size such as 2GiB or 512MiB, or a number of bytes',
    parse: parseBytes,
    fallback: () => undefined,
    defaultLabel: 'the smaller of `1GiB` and 2 % of the disk',
  }),
  alertsFile: defineSetting<string | undefined>({
    flag: '--alerts <path>',
    environment: 'TOOLSCOPE_ALERTS',
    secret: false,
    description: 'JSON file with alert rules, receivers and where they may send.',
    ...pathText,
    fallback: () => undefined,
    defaultLabel: '`alerts.json` in the data directory, if there is one',
  }),
  loopThresholdsFile: defineSetting<string | undefined>({
    flag: '--loop-thresholds <path>',
    environment: 'TOOLSCOPE_LOOP_THRESHOLDS',
    secret: false,
    description: 'JSON file with thresholds of the loop detector, for all tools, a server or a tool.',
    ...pathText,
    fallback: () => undefined,
    defaultLabel: 'none: the built-in thresholds',
  }),
  tokenPrice: defineSetting<number | undefined>({
    flag: '--token-price <number>',
    environment: 'TOOLSCOPE_TOKEN_PRICE',
    secret: false,
    description: 'What a million tokens cost you; loops then show what they cost in money.',
    allowed: 'a number from 0 to 1000000, such as 2.5',
    parse: parsePrice,
    fallback: () => undefined,
    defaultLabel: 'none: no money is shown',
  }),
  tokenCurrency: defineSetting<string>({
    flag: '--token-currency <code>',
    environment: 'TOOLSCOPE_TOKEN_CURRENCY',
    secret: false,
    description: 'Currency of that price.',
    allowed: 'three capital letters, as ISO 4217 has them',
    parse: (text) => (/^[A-Z]{3}$/.test(text) ? text : undefined),
    fallback: () => 'USD',
    defaultLabel: '`USD`',
  }),
  logLevel: defineSetting<LogLevel>({
    flag: '--log-level <level>',
    environment: 'TOOLSCOPE_LOG_LEVEL',
    secret: false,
    description: 'Least severe log line that is written to stderr.',
    ...oneOf(LOG_LEVELS),
    fallback: () => 'info',
    defaultLabel: '`info`',
  }),
  configFile: defineSetting<string | undefined>({
    flag: '--config <path>',
    environment: 'TOOLSCOPE_CONFIG',
    secret: false,
    description: 'JSON file with settings by the names in the first column.',
    ...pathText,
    fallback: () => undefined,
    defaultLabel: '`toolscope.json` in the data directory, if there is one',
  }),
};

export type SettingName = keyof typeof SETTINGS;

type ValueOf<S> = S extends Setting<infer T> ? T : never;

/** What the service runs with: one value for each setting, frozen. */
export type Config = { readonly [Name in SettingName]: ValueOf<(typeof SETTINGS)[Name]> };

/** The names in the order of the table. */
// Object.keys forgets the key type; the object is the literal above.
export const SETTING_NAMES = Object.keys(SETTINGS) as readonly SettingName[];
