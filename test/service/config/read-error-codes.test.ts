// The file of error codes: what is read, and which place of a wrong file is named.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { UserError } from '../../../src/errors.ts';
import { readErrorCodes } from '../../../src/service/config/read-error-codes.ts';

const folder = mkdtempSync(join(tmpdir(), 'toolscope-codes-'));
const file = join(folder, 'codes.json');

afterAll(() => rmSync(folder, { recursive: true, force: true }));

function readText(text: string) {
  writeFileSync(file, text);
  return readErrorCodes(file);
}

test.each<[text: string, expected: object, because: string]>([
  ['{}', {}, 'nothing is overridden'],
  [
    '{"notes":{"callerCodes":["LOCKED"]}}',
    { notes: { callerCodes: ['LOCKED'], serverCodes: [] } },
    'a list that is left out is empty',
  ],
  [
    '{"*":{"callerCodes":[],"serverCodes":["NOT_FOUND"]}}',
    { '*': { callerCodes: [], serverCodes: ['NOT_FOUND'] } },
    'a star stands for all servers',
  ],
])('the file %s is read as %j, because %s', (text, expected) => {
  expect(readText(text)).toEqual(expected);
});

test.each([
  ['[', /is not JSON/, 'it is no JSON'],
  ['{"notes":["LOCKED"]}', /codes\.json: notes: /, 'a server has two lists'],
  ['{"notes":{"callerCode":["LOCKED"]}}', /notes: .*callerCode/, 'a misspelt list would change nothing'],
  ['{"notes":{"callerCodes":[7]}}', /notes\.callerCodes\.0: /, 'a code is a text'],
  ['{"notes":{"callerCodes":[""]}}', /notes\.callerCodes\.0: /, 'no code is no error'],
])('the file %s is refused with %s, because %s', (text, expected) => {
  expect(() => readText(text)).toThrow(UserError);
  expect(() => readText(text)).toThrow(expected);
});

test('a file that is missing is named, and no file changes nothing', () => {
  expect(() => readErrorCodes(join(folder, 'missing.json'))).toThrow(/missing\.json cannot be read/);
  expect(readErrorCodes(undefined)).toEqual({});
});
