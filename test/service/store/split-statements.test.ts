import { expect, test } from 'vitest';
import { splitStatements } from '../../../src/service/store/migrate.ts';

test.each<[text: string, statements: string[], because: string]>([
  ['SELECT 1; SELECT 2;', ['SELECT 1', 'SELECT 2'], 'a semicolon ends a statement'],
  ['SELECT 1', ['SELECT 1'], 'the last one needs none'],
  ["SELECT ';'; SELECT 2", ["SELECT ';'", 'SELECT 2'], 'a text may hold one'],
  [
    "SELECT 'it\\'s; x'; SELECT 2",
    ["SELECT 'it\\'s; x'", 'SELECT 2'],
    'an escaped quote does not end a text',
  ],
  ['SELECT `a;b`; SELECT "c;d"', ['SELECT `a;b`', 'SELECT "c;d"'], 'so may a name'],
  ['-- one; two\nSELECT 1', ['SELECT 1'], 'a comment is not a statement'],
  [
    "-- it's one\nSELECT 1; -- two's\nSELECT 2",
    ['SELECT 1', 'SELECT 2'],
    'a quote in a comment opens nothing',
  ],
  ['/* ; */ SELECT 1 /* ; */;', ['SELECT 1'], 'the same'],
  ['SELECT 4 / 2 - 1', ['SELECT 4 / 2 - 1'], 'a dash or a slash alone is no comment'],
  [';;\n;', [], 'nothing is not a statement'],
])('the text %j is split into %j, because %s', (text, statements) => {
  expect(splitStatements(text)).toEqual(statements);
});
