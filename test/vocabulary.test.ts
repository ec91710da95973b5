// The words that docs/glossary.md replaced do not come back: not in file names, not in names that a file declares.
import { readdirSync, readFileSync } from 'node:fs';
import { basename, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';

const ROOT = fileURLToPath(new URL('..', import.meta.url));

/** Each with the word to use. */
const REPLACED_WORDS: Readonly<Record<string, string>> = {
  ask: 'fetch, query or get',
  asks: 'fetches, queries or gets',
  asked: 'a noun: query, result, request',
  asking: 'query context',
  room: 'module, or capacity',
  rooms: 'modules',
  question: 'query',
  questions: 'queries',
  upkeep: 'maintenance',
  follower: 'detection worker, or tracker',
  judge: 'classify, or evaluate',
  judgement: 'classification',
  tell: 'describe, or notify',
  told: 'notified, or described',
  mend: 'repair, or resolve',
  mended: 'repaired, or resolved',
  beside: 'concurrent, or adjacent',
  drawn: 'chart',
  desk: 'alert state',
  keeper: 'repository',
  outlet: 'exporter',
  shipper: 'batch writer',
  shipped: 'committed offset',
  twin: 'table view',
  reship: 'replay',
  sighting: 'snapshot, or first and last seen',
  weaver: 'interleaver',
  wanted: 'required',
  nobody: 'none',
  somebody: 'any',
  whoever: 'any',
  reduction: 'redaction',
  reduce: 'redact',
  retake: 'redact again',
  most: 'MAX_',
  party: 'Implementation',
  stranger: 'foreign, or third-party',
};

/** Superlatives. */
const ALLOWED_NAMES = new Set(['chooseMostFailed']);

const DECLARATION =
  /^(?:export )?(?:async )?(?:abstract )?(?:function\*?|const|let|class|interface|type) (\w+)/gm;

const wordsOf = (name: string): string[] =>
  (name.match(/[A-Z]?[a-z0-9]+|[A-Z]+(?![a-z])/g) ?? []).map((word) => word.toLowerCase());

function findReplacedWords(name: string): string[] {
  if (ALLOWED_NAMES.has(name)) return [];
  return wordsOf(name).flatMap((word) =>
    Object.hasOwn(REPLACED_WORDS, word) ? [`${name}: use ${REPLACED_WORDS[word]} for "${word}"`] : [],
  );
}

const listSourceFiles = (folder: string): string[] =>
  readdirSync(join(ROOT, folder), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && /\.(tsx?|css)$/.test(entry.name))
    .map((entry) => relative(ROOT, join(entry.parentPath, entry.name)));

describe('vocabulary of the glossary', () => {
  const files = [...listSourceFiles('src'), ...listSourceFiles('dashboard/src')];

  test('every file name follows the glossary', () => {
    expect(files.length).toBeGreaterThan(400);
    expect(files.flatMap((file) => findReplacedWords(basename(file).replace(/\.\w+$/, '')))).toEqual([]);
  });

  test('every declared name follows the glossary', () => {
    const names = files
      .filter((file) => !file.endsWith('.css'))
      .flatMap((file) => {
        const text = readFileSync(join(ROOT, file), 'utf8');
        return [...text.matchAll(DECLARATION)].map(([, name = '']) => ({ file, name }));
      });
    expect(names.length).toBeGreaterThan(2_000);
    expect(
      names.flatMap(({ file, name }) => findReplacedWords(name).map((found) => `${file}: ${found}`)),
    ).toEqual([]);
  });

  test('a replaced word is noticed in any spelling', () => {
    expect(
      ['askServer', 'MOST_ROWS', 'ToldRule', 'open-upkeep', 'task', 'inviteParties'].flatMap(
        findReplacedWords,
      ),
    ).toEqual([
      'askServer: use fetch, query or get for "ask"',
      'MOST_ROWS: use MAX_ for "most"',
      'ToldRule: use notified, or described for "told"',
      'open-upkeep: use maintenance for "upkeep"',
    ]);
  });
});
