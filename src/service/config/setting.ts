// What a setting is, and the kinds of values that settings have.

import { isAbsolute, resolve } from 'node:path';
import { DEFAULT_NAME_LIMITS, type NameLimits } from '../../core/model/name-limits.ts';

/** Variables of the process, as `process.env` has them. */
export type Environment = Readonly<Record<string, string | undefined>> & {
  readonly XDG_DATA_HOME?: string | undefined;
  readonly XDG_STATE_HOME?: string | undefined;
};

export interface ValueKind<T> {
  /** What `parse` accepts, as the end of the sentence "Expected …". */
  readonly allowed: string;
  /** @returns the value, or undefined if the text is not allowed */
  readonly parse: (text: string) => T | undefined;
}

export interface Setting<T> extends ValueKind<T> {
  /** As commander writes it, e.g. `--port <number>`; absent for secrets. */
  readonly flag?: string;
  readonly environment: string;
  /** The value may contain a secret, as a URL may, so an error does not repeat it. */
  readonly mayHoldSecret?: true;
  /** A secret is never printed, and `<environment>_FILE` may name a file that contains it. */
  readonly secret: boolean;
  readonly description: string;
  readonly fallback: (environment: Environment) => T;
  /** The default in docs/operations.md. */
  readonly defaultLabel: string;
}

type DerivedField = 'secret' | 'fallback' | 'defaultLabel';

interface SettingDefinition<T>
  extends Omit<Setting<T>, DerivedField>,
    Partial<Pick<Setting<T>, DerivedField>> {
  /** Either this or `fallback`. */
  readonly default?: T;
}

export function defineSetting<T>({
  default: value,
  secret = false,
  // T includes undefined where a definition has neither.
  fallback = () => value as T,
  defaultLabel = value === undefined ? 'none' : `\`${value}\``,
  ...definition
}: SettingDefinition<T>): Setting<T> {
  return { ...definition, secret, fallback, defaultLabel };
}

export const TEXT: ValueKind<string> = { allowed: 'text', parse: (text) => text };

export const PATH: ValueKind<string> = {
  allowed: 'a path',
  parse: (text) => (text.includes('\0') ? undefined : resolve(text)),
};

/** Printable ASCII without spaces, because it is sent in an `Authorization` header. */
export const SECRET: ValueKind<string> = {
  allowed: '16 to 512 printable ASCII characters without spaces',
  parse: (text) => (/^[\x21-\x7e]{16,512}$/.test(text) ? text : undefined),
};

export function oneOf<T extends string>(values: readonly T[]): ValueKind<T> {
  return { allowed: `one of ${values.join(', ')}`, parse: (text) => values.find((value) => value === text) };
}

export function integerBetween(min: number, max: number): ValueKind<number> {
  return {
    allowed: `a whole number from ${min} to ${max}`,
    parse(text) {
      const value = /^\d{1,9}$/.test(text) ? Number(text) : Number.NaN;
      return value >= min && value <= max ? value : undefined;
    },
  };
}

const PORT_NUMBER = integerBetween(0, 65_535);
export const GRPC_PORT: ValueKind<number | 'off'> = {
  allowed: `${PORT_NUMBER.allowed}, or off`,
  parse: (text) => (text === 'off' ? text : PORT_NUMBER.parse(text)),
};

const BYTES_OF_UNIT: Readonly<Record<string, number>> = { KiB: 1024, MiB: 1024 ** 2, GiB: 1024 ** 3 };

export const BYTES: ValueKind<number> = {
  allowed: 'a size such as 2GiB or 512MiB, or a number of bytes',
  parse(text) {
    const [, digits, unit = ''] = /^(\d{1,13})(KiB|MiB|GiB)?$/.exec(text) ?? [];
    return digits === undefined ? undefined : Number(digits) * (BYTES_OF_UNIT[unit] ?? 1);
  },
};

const MIN_JOURNAL_BYTES = 32 * 1024 ** 2;
const MAX_JOURNAL_BYTES = 1024 ** 4;

export const JOURNAL_BYTES: ValueKind<number> = {
  allowed: 'a size from 32MiB to 1024GiB, such as 512MiB, or a number of bytes',
  parse(text) {
    const bytes = BYTES.parse(text) ?? 0;
    return bytes >= MIN_JOURNAL_BYTES && bytes <= MAX_JOURNAL_BYTES ? bytes : undefined;
  },
};

export const PRICE: ValueKind<number> = {
  allowed: 'a number from 0 to 1000000, such as 2.5',
  parse(text) {
    const price = /^\d{1,7}(\.\d{1,6})?$/.test(text) ? Number(text) : Number.NaN;
    return price <= 1_000_000 ? price : undefined;
  },
};

/** Full paths, so that the meaning of an entry does not depend on `PATH` or the working directory. */
export const PROGRAM_LIST: ValueKind<readonly string[]> = {
  allowed: 'absolute paths of programs, separated by commas',
  parse(text) {
    const paths = text.split(',').map((path) => path.trim());
    return paths.every((path) => isAbsolute(path) && !path.includes('\0')) ? paths : undefined;
  },
};

const MAX_NAME_LIMIT = 100_000;

/** Kinds that are not given keep their default. */
export const NAME_LIMITS: ValueKind<NameLimits> = {
  allowed: `pairs such as server=2000,tool=1000, each from 1 to ${MAX_NAME_LIMIT}, of ${Object.keys(DEFAULT_NAME_LIMITS).join(', ')}`,
  parse(text) {
    const pairs = text.split(',').map((pair) => /^\s*(\w+)\s*=\s*(\d{1,6})\s*$/.exec(pair));
    const given = pairs.map((pair) => [pair?.[1] ?? '', Number(pair?.[2] ?? Number.NaN)] as const);
    const isAllowed = ([kind, limit]: readonly [string, number]): boolean =>
      Object.hasOwn(DEFAULT_NAME_LIMITS, kind) && limit >= 1 && limit <= MAX_NAME_LIMIT;
    return given.every(isAllowed) ? { ...DEFAULT_NAME_LIMITS, ...Object.fromEntries(given) } : undefined;
  },
};

const HOST_NAME = /^(?:[a-z0-9_-]{1,63}\.)*[a-z0-9_-]{1,63}$/i;
const HOST_OR_ADDRESS = /^(?:[a-z0-9._-]{1,253}|\[?[0-9a-f:.]{2,45}\]?)$/i;

export const HOST: ValueKind<string> = {
  allowed: 'a host name or an IP address',
  parse: (text) => (HOST_OR_ADDRESS.test(text) ? text.replace(/^\[|\]$/g, '') : undefined),
};

export const HOST_LIST: ValueKind<readonly string[]> = {
  allowed: 'host names separated by commas',
  parse(text) {
    const names = text.split(',').map((name) => name.trim().toLowerCase());
    const given = names.filter((name) => name !== '');
    return given.every((name) => HOST_NAME.test(name)) ? given : undefined;
  },
};

export const HTTP_URL: ValueKind<string> = {
  allowed: 'an http or https URL',
  parse(text) {
    const url = URL.canParse(text) ? new URL(text) : undefined;
    const isAllowed = url && ['http:', 'https:'].includes(url.protocol) && hasDecodableCredentials(url);
    return isAllowed ? url.href : undefined;
  },
};

/** A stray percent sign in a password would fail later, with a message that repeats it. */
function hasDecodableCredentials({ username, password }: URL): boolean {
  try {
    decodeURIComponent(`${username}${password}`);
    return true;
  } catch {
    return false;
  }
}
