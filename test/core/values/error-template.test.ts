import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { MAX_TEMPLATE_LENGTH, toErrorTemplate } from '../../../src/core/values/error-template.ts';
import { isKnownName, isKnownWord } from '../../../src/core/values/vocabulary.ts';
import { propertyRuns } from '../../support/property-runs.ts';

describe('error template', () => {
  test.each<[string, string, string]>([
    ['limit must be <= 100', 'limit must be <= <n>', 'numbers are the caller’s'],
    [
      "ENOENT: no such file or directory, open '/home/ada/x.txt'",
      'ENOENT: no such file or directory, open <str>',
      'errnos and English stay',
    ],
    ['Tool plimsoll not found', 'Tool <word> not found', 'an unquoted word may be data'],
    ['note zqxv83kd not found', 'note <id> not found', 'letters and digits mixed are an id'],
    [
      'no note called plimsoll wellies found',
      'no note called <word> found',
      'how many words it had is data too',
    ],
    [
      'Invalid option: expected one of "a"|"b"|"c"',
      'Invalid option: expected one of <str>',
      'a list of values is one',
    ],
    ['connect ECONNREFUSED 127.0.0.1:5432', 'connect ECONNREFUSED <n>', 'addresses are numbers'],
    ['Failed to fetch https://api.example.com/x?q=1', 'Failed to fetch <url>', 'URLs go whole'],
    ['User ada@example.org does not exist', 'User <id> does not exist', 'addresses of people'],
    ['cannot open /var/lib/notes/ada.md now', 'cannot open <path> now', 'rooted paths'],
    [
      'cannot open notes/ada or ./x or C:\\Users\\ada',
      'cannot open <path>',
      'relative and Windows paths, listed',
    ],
    ['wellies.txt is missing', '<path> is missing', 'file names'],
    ['timeout of 3000ms exceeded', 'timeout of <n>ms exceeded', 'a unit is no data'],
    [
      "can't read properties of undefined (reading 'ada')",
      "can't read properties of undefined (reading <str>)",
      'an apostrophe opens no string',
    ],
    ['NOTE_LOCKED: note 12 is locked', 'NOTE_LOCKED: note <n> is locked', 'constants of known words'],
    [
      'AmbiguousNoteError: more than one note matches',
      'AmbiguousNoteError: more than one note matches',
      'class names of known words',
    ],
    ['filter.limit must be positive', 'filter.limit must be positive', 'a path of known names is no file'],
    ['wellies.error and error.plimsoll', '<path> and error.<word>', 'half a name is not known'],
    ['first line\n\tsecond   line', 'first line second line', 'one line'],
    ['プリムソル 🎉 failed', '<word> failed', 'what is not ASCII is not known'],
    ['x-plimsoll_error errorPlimsoll PLIMSOLL', '<word>', 'no spelling hides a word'],
    ['he said "unclosed plimsoll', 'he said "unclosed <word>', 'an open quote protects nothing'],
  ])('the template of %j is %j, because %s', (message, expected) => {
    expect(toErrorTemplate(message)).toBe(expected);
  });

  test('a template keeps names that the server declared', () => {
    expect(toErrorTemplate('zorp must be one of vroom', { known: ['zorp', 'Vroom'] })).toBe(
      'zorp must be one of vroom',
    );
  });

  test('a template has at most 200 characters and ends on a whole placeholder', () => {
    fc.assert(
      fc.property(fc.array(fc.constantFrom('error ', '12 ', 'plimsoll ', '"a" ', 'not found, ')), (parts) => {
        const template = toErrorTemplate(parts.join('').repeat(9));
        expect(template.length).toBeLessThanOrEqual(MAX_TEMPLATE_LENGTH);
        expect(template).not.toMatch(/<[a-z]*$/);
      }),
    );
  });

  const strangeWord = fc
    .string({ unit: fc.constantFrom(...'abcdefghijklmnopqrstuvwxyzäöüñжд'), minLength: 4, maxLength: 14 })
    .filter((word) => !isKnownWord(word) && !/^(?:word|path)$/.test(word));
  const dress = fc.constantFrom<(word: string) => string>(
    (word) => word,
    (word) => word.toUpperCase(),
    (word) => `${word}_error`,
    (word) => `error-${word}`,
    (word) => `error.${word}`,
    (word) => `"${word}`,
    (word) => `${word}'s`,
    (word) => `<${word}>`,
    (word) => `[${word}]`,
    (word) => `key=${word}&limit=1`,
    (word) => `${word}:${word}`,
    (word) => `error/${word}`,
    (word) => `${word}@`,
    (word) => `\u200b${word}\u200b`,
    (word) => `error${word[0]?.toUpperCase()}${word.slice(1)}`,
    (word) => `${word}2`,
    (word) => `$${word}`,
    (word) => `it's ${word} isn't`,
  );

  test('a template never holds a word outside the vocabulary', () => {
    const around = fc.constantFrom('', 'not found ', 'Error: ', 'invalid value ', "can't find '", '12 ', '(');
    fc.assert(
      fc.property(strangeWord, dress, around, around, (word, wear, before, after) => {
        const template = toErrorTemplate(`${before}${wear(word)} ${after}`);
        const runs = template.replace(/<[a-z]+>/g, ' ').match(/[\p{L}]+/gu) ?? [];
        expect(runs.join(' ').toLowerCase()).not.toContain(word);
      }),
      { numRuns: propertyRuns({ quick: 600, full: 3_000 }) },
    );
  });

  test('a template of any message holds only words of the vocabulary', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme', maxLength: 200 }), (message) => {
        const runs =
          toErrorTemplate(message)
            .replace(/<[a-z]+>/g, ' ')
            .match(/[\p{L}\p{N}]+/gu) ?? [];
        expect(runs.filter((run) => !isKnownName(run))).toEqual([]);
      }),
      { numRuns: propertyRuns({ quick: 400, full: 2_000 }) },
    );
  });
});
