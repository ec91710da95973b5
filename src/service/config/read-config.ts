// Reads settings from four sources into one frozen Config: flag over environment over file over default. An
// invalid value stops the start unless a stronger source overrides it: unused values are not parsed.

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { SettingRow } from '../../contract/administration.ts';
import { UserError } from '../../errors.ts';
import { listSettings, type SettingOrigin } from './list-settings.ts';
import type { Environment, Setting } from './setting.ts';
import { type Config, SETTING_NAMES, SETTINGS, type SettingName } from './settings.ts';

/** Flags as given, by setting name. */
export type Flags = Partial<Readonly<Record<SettingName, string>>>;

export interface ConfigSources {
  readonly flags?: Flags;
  readonly environment?: Environment;
}

/** A value as text, and where it was found, for error messages and administrators. */
interface RawSetting extends SettingOrigin {
  readonly text: string;
}

/** The configuration, and where each of its values comes from. */
export interface ReportedConfig {
  readonly config: Config;
  readonly settings: readonly SettingRow[];
}

type FileSettings = ReadonlyMap<SettingName, RawSetting>;

/**
 * Reads every setting.
 *
 * @param sources command-line flags and environment variables (by default those of the process)
 * @returns the frozen configuration; unset settings have their defaults
 * @throws UserError INVALID_SETTING naming the setting, the given value and what is allowed
 */
export function readConfig(sources: ConfigSources = {}): Config {
  return readReportedConfig(sources).config;
}

/** As `readConfig`, with the origin of each value. */
export function readReportedConfig({
  flags = {},
  environment = process.env,
}: ConfigSources = {}): ReportedConfig {
  const find = (name: SettingName, file?: FileSettings): RawSetting | undefined =>
    findFlag(name, flags) ?? findVariable(name, environment) ?? file?.get(name);
  const value = (name: SettingName, file?: FileSettings) =>
    parseRawSetting(name, find(name, file), environment);

  const explicit = value('configFile');
  const file =
    typeof explicit === 'string'
      ? readSettingsFile(explicit, { required: true })
      : readSettingsFile(join(String(value('dataDirectory')), 'toolscope.json'), { required: false });

  const entries = SETTING_NAMES.map((name) => [name, value(name, file)]);
  // Each value comes from the parser or the default of its own setting, as Config requires.
  const config = Object.freeze(Object.fromEntries(entries) as Config);
  return { config, settings: listSettings(config, (name) => toOrigin(find(name, file))) };
}

const toOrigin = (raw: RawSetting | undefined): SettingOrigin | undefined =>
  raw && { source: raw.source, location: raw.location };

function findFlag(name: SettingName, flags: Flags): RawSetting | undefined {
  const text = flags[name];
  const flag = SETTINGS[name].flag?.split(' ')[0] ?? name;
  return text === undefined ? undefined : { text, source: 'flag', location: flag };
}

/** As in OpenTelemetry, an empty variable counts as unset. */
function findVariable(name: SettingName, environment: Environment): RawSetting | undefined {
  const { environment: variable, secret } = SETTINGS[name];
  const text = environment[variable] || undefined;
  const path = secret ? environment[`${variable}_FILE`] || undefined : undefined;
  if (text !== undefined && path !== undefined) {
    throw invalidSetting(name, `${variable} and ${variable}_FILE are both set`, 'Set one of the two.');
  }
  if (path !== undefined) {
    return { text: readSecret(name, path), source: 'environment', location: `${variable}_FILE` };
  }
  return text === undefined ? undefined : { text, source: 'environment', location: variable };
}

function readSecret(name: SettingName, path: string): string {
  const variable = `${SETTINGS[name].environment}_FILE`;
  try {
    return readFileSync(path, 'utf8').replace(/\r?\n$/, '');
  } catch (cause) {
    throw invalidSetting(
      name,
      `${variable} names "${path}", which cannot be read`,
      `Expected a readable file.`,
      cause,
    );
  }
}

function parseRawSetting(name: SettingName, raw: RawSetting | undefined, environment: Environment) {
  const { parse, fallback, allowed, secret, mayHoldSecret }: Setting<unknown> = SETTINGS[name];
  if (raw === undefined) return fallback(environment);
  const value = parse(raw.text);
  if (value !== undefined) return value;
  const given = secret || mayHoldSecret ? 'a value that is not allowed' : JSON.stringify(raw.text);
  throw invalidSetting(name, `${raw.location} is ${given}`, `Expected ${allowed}.`);
}

function readSettingsFile(path: string, { required }: { readonly required: boolean }): FileSettings {
  const text = readSettingsText(path, required);
  if (text === undefined) return new Map();
  const entries = Object.entries(parseJsonObject(path, text)).map(
    ([key, value]): [SettingName, RawSetting] => {
      const name = parseSettingName(path, key);
      if (!required && name === 'dataDirectory') {
        throw invalidSetting(
          name,
          `${path} is in the data directory and cannot name another one`,
          `Use --data-dir, or name the file with --config.`,
        );
      }
      const text = toSettingText(path, name, value);
      return [name, { text, source: 'file', location: `"${key}" in ${path}` }];
    },
  );
  return new Map(entries);
}

function readSettingsText(path: string, required: boolean): string | undefined {
  try {
    return readFileSync(path, 'utf8');
  } catch (cause) {
    const missing = cause instanceof Error && 'code' in cause && isNotFound(cause.code);
    if (missing && !required) return undefined;
    throw invalidSetting('configFile', `"${path}" cannot be read`, 'Expected a readable JSON file.', cause);
  }
}

/** No such file, or a file in place of a directory, which is reported when the directory is created. */
function isNotFound(code: unknown): boolean {
  return code === 'ENOENT' || code === 'ENOTDIR';
}

function parseJsonObject(path: string, text: string): object {
  try {
    const value: unknown = JSON.parse(text);
    if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value;
  } catch (cause) {
    throw invalidSetting('configFile', `"${path}" is not JSON`, 'Expected one JSON object.', cause);
  }
  throw invalidSetting('configFile', `"${path}" is not a JSON object`, 'Expected one JSON object.');
}

function parseSettingName(path: string, key: string): SettingName {
  const name = SETTING_NAMES.find((known) => known === key && known !== 'configFile');
  if (name !== undefined) return name;
  const known = SETTING_NAMES.filter((candidate) => candidate !== 'configFile').join(', ');
  throw new UserError(
    'INVALID_SETTING',
    `Setting "${key}" in ${path} is unknown. Expected one of ${known}.`,
    {
      field: key,
    },
  );
}

/** The file may contain numbers and lists; everything is parsed like the text of a flag. */
function toSettingText(path: string, name: SettingName, value: unknown): string {
  if (typeof value === 'string') return value;
  if (typeof value === 'number') return String(value);
  if (Array.isArray(value) && value.every((item) => typeof item === 'string')) return value.join(',');
  throw invalidSetting(
    name,
    `"${name}" in ${path} is neither text, a number nor a list of texts`,
    `Expected ${SETTINGS[name].allowed}.`,
  );
}

function invalidSetting(name: SettingName, what: string, expected: string, cause?: unknown): UserError {
  return new UserError('INVALID_SETTING', `Setting "${name}": ${what}. ${expected}`, { field: name, cause });
}
