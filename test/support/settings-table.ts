// The table of settings as docs/operations.md shows it.

import { SETTING_NAMES, SETTINGS, type SettingName } from '../../src/service/config/settings.ts';

const HEADER = ['Setting', 'Flag', 'Environment', 'Default', 'What it does'];

/** @returns the settings as a Markdown table, one row each, in the order of the table in the source */
export function formatSettingsTable(): string {
  const rows = SETTING_NAMES.map(formatSettingRow);
  return [HEADER, HEADER.map(() => '---'), ...rows].map((cells) => `| ${cells.join(' | ')} |`).join('\n');
}

function formatSettingRow(name: SettingName): string[] {
  const { flag, environment, secret, defaultLabel, description, allowed } = SETTINGS[name];
  const variable = secret ? `\`${environment}\`, \`${environment}_FILE\`` : `\`${environment}\``;
  return [
    `\`${name}\``,
    flag === undefined ? '' : `\`${flag}\``,
    variable,
    defaultLabel,
    `${description} Allowed: ${allowed}.`,
  ];
}
