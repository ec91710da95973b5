// The settings in force as text, for administrators. Secrets are not shown.

import type { SettingRow, SettingSource } from '../../contract/administration.ts';
import type { Setting } from './setting.ts';
import { type Config, SETTING_NAMES, SETTINGS, type SettingName } from './settings.ts';

/** Where a setting was found. */
export interface SettingOrigin {
  readonly source: SettingSource;
  readonly location: string;
}

/** @param originOf undefined for a default */
export function listSettings(
  config: Config,
  originOf: (name: SettingName) => SettingOrigin | undefined,
): SettingRow[] {
  return SETTING_NAMES.map((name) => {
    const { secret, mayHoldSecret, description }: Setting<unknown> = SETTINGS[name];
    const text = formatValue(config[name]);
    const shown = mayHoldSecret && text !== null ? withoutCredentials(text) : text;
    const origin = originOf(name) ?? { source: 'default', location: '' };
    return {
      name,
      value: secret ? null : shown,
      isSecret: secret,
      isSet: text !== null,
      ...origin,
      description,
    };
  });
}

function formatValue(value: unknown): string | null {
  if (value === undefined || value === '' || (Array.isArray(value) && value.length === 0)) return null;
  if (Array.isArray(value)) return value.join(', ');
  return typeof value === 'object' ? JSON.stringify(value) : String(value);
}

/** A text that is no URL is not shown, because where its secret begins is unknown. */
function withoutCredentials(text: string): string | null {
  if (!URL.canParse(text)) return null;
  const { origin, pathname } = new URL(text);
  return `${origin}${pathname}`;
}
