// The tables in docs/ are equal to the tables in the code, in both directions.
import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { ERROR_CODES } from '../src/errors.ts';
import { formatSettingsTable } from './support/settings-table.ts';

function section(page: string, name: string): string {
  const text = readFileSync(new URL(`../docs/${page}`, import.meta.url), 'utf8');
  const found = new RegExp(`<!-- ${name} -->\\n([\\s\\S]*?)<!-- /${name} -->`).exec(text);
  return (found?.[1] ?? '').trim();
}

describe('documentation', () => {
  test('the settings table in the documentation matches the code', () => {
    expect(section('operations.md', 'settings')).toBe(formatSettingsTable().trim());
  });

  test('the documentation lists every error code and no other', () => {
    const rows = Object.entries(ERROR_CODES).map(([code, sentence]) => `| \`${code}\` | ${sentence} |`);
    expect(section('api.md', 'errors')).toBe(['| code | meaning |', '| --- | --- |', ...rows].join('\n'));
  });
});
