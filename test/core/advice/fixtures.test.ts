// Seven tools as the rules want them, seven that each break one. The name of a file is the verdict.
import { readdirSync, readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { lintTools } from '../../../src/core/advice/lint-tools.ts';
import type { ToolDefinition } from '../../../src/core/model/catalogue.ts';

const folder = new URL('../../fixtures/tools/', import.meta.url);
const files = readdirSync(folder).filter((file) => file.endsWith('.json'));
const read = (file: string): ToolDefinition[] =>
  JSON.parse(readFileSync(new URL(file, folder), 'utf8')).tools;
const severeFindings = (tools: readonly ToolDefinition[]) =>
  lintTools(tools).filter(({ level }) => level !== 'note');

const good = files.filter((file) => file.endsWith('.good.json'));
const bad = files.filter((file) => file.endsWith('.bad.json'));

describe('example tools', () => {
  test('there are seven good and seven bad example tools', () => {
    expect([good.length, bad.length, files.length]).toEqual([7, 7, 14]);
  });

  test.each(good)('lint finds nothing in the good tool %s', (file) => {
    expect(lintTools(read(file))).toEqual([]);
  });

  test('lint finds nothing in all good tools together', () => {
    expect(lintTools(good.flatMap(read))).toEqual([]);
  });

  test.each(bad)('lint finds the bad tool %s by its own rule and no other', (file) => {
    expect([...new Set(severeFindings(read(file)).map(({ rule }) => rule))]).toEqual([file.slice(0, 5)]);
  });
});
