// The README's tables are what the code says, both ways: a row too many is as wrong as one too few.
import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { ERROR_CODES } from '../src/errors.ts';
import { formatSettingsTable } from '../src/service/config/settings-table.ts';

const readme = readFileSync(new URL('../README.md', import.meta.url), 'utf8');

function section(name: string): string {
  const found = new RegExp(`<!-- ${name} -->\\n([\\s\\S]*?)<!-- /${name} -->`).exec(readme);
  return (found?.[1] ?? '').trim();
}

describe('the README', () => {
  test('has the table of settings that the code has', () => {
    expect(section('settings')).toBe(formatSettingsTable().trim());
  });

  test('has every error code and no other', () => {
    const rows = Object.entries(ERROR_CODES).map(([code, sentence]) => `| \`${code}\` | ${sentence} |`);
    expect(section('errors')).toBe(['| code | meaning |', '| --- | --- |', ...rows].join('\n'));
  });
});
