// Converts settings to the options of a command, and back.

import type { Flags } from '../service/config/read-config.ts';
import { SETTING_NAMES, SETTINGS, type SettingName } from '../service/config/settings.ts';
import type { CommandOption, OptionValues } from './command.ts';

/** Returns the options for these settings, except secrets, which have none. */
export function toSettingOptions(names: readonly SettingName[]): CommandOption[] {
  return names.flatMap((name) => {
    const { flag, description, defaultLabel, environment } = SETTINGS[name];
    const fallback = `Default: ${defaultLabel.replaceAll('`', '')}. Environment: ${environment}.`;
    return flag === undefined ? [] : [{ flags: flag, description: `${description} ${fallback}` }];
  });
}

/** Commander stores the value of `--data-dir` as `dataDir`. */
function toOptionKey(flag: string): string {
  const [long = ''] = flag.replace(/^--/, '').split(' ');
  return long.replace(/-(\w)/g, (_match, letter: string) => letter.toUpperCase());
}

export function toSettingFlags(options: OptionValues): Flags {
  const given = SETTING_NAMES.flatMap((name): [SettingName, string][] => {
    const { flag } = SETTINGS[name];
    const value = flag === undefined ? undefined : options[toOptionKey(flag)];
    return typeof value === 'string' ? [[name, value]] : [];
  });
  return Object.fromEntries(given);
}
