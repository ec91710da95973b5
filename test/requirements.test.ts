// Each promise of requirements.ts is cited by a test, and each citation names a promise.
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { REQUIREMENTS } from './requirements.ts';

const TESTS = fileURLToPath(new URL('.', import.meta.url));
/** A citation stands right above the test or the group of tests that holds the promise. */
const CITATION = /^ *\/\/ Requirement: (.+)\n(?= *(?:\/\/.*\n *)*(?:for|test|describe)\b)/gm;
const ANY_CITATION = /^ *\/\/ Requirement: /gm;

interface Citation {
  readonly file: string;
  readonly id: string;
}

function readCitations(file: string): Citation[] {
  const text = readFileSync(join(TESTS, file), 'utf8');
  const citations = [...text.matchAll(CITATION)].map(([, id = '']) => ({ file, id: id.trim() }));
  if (citations.length !== (text.match(ANY_CITATION)?.length ?? 0))
    throw new Error(`${file} has a "// Requirement:" that is not right above a test`);
  return citations;
}

const files = readdirSync(TESTS, { recursive: true, encoding: 'utf8' }).filter(
  (file) => file.endsWith('.test.ts') && file !== 'requirements.test.ts',
);
const citations = files.flatMap(readCitations);

test.each(Object.entries(REQUIREMENTS))('at least one test covers the requirement %s: %s', (id) => {
  expect(citations.map((citation) => citation.id)).toContain(id);
});

test('every requirement cited by a test exists', () => {
  expect(citations.filter(({ id }) => !(id in REQUIREMENTS))).toEqual([]);
});

test('no requirement is covered only by tests that `npm test` leaves to test:full', () => {
  const always = new Set(citations.filter(({ file }) => !file.endsWith('.long.test.ts')).map(({ id }) => id));
  expect(Object.keys(REQUIREMENTS).filter((id) => !always.has(id))).toEqual([]);
});
