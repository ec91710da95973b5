import { describe, expect, test } from 'vitest';
import { isKnownName, isKnownWord, splitName } from '../../../src/core/values/vocabulary.ts';

describe('vocabulary', () => {
  test.each<[string, boolean, string]>([
    ['Limit', true, 'case does not matter'],
    ['queries', true, 'regular forms are understood'],
    ['stopping', true, 'with a doubled letter too'],
    ['ENOENT', true, 'codes of the operating system'],
    ['plimsoll', false, 'a word of no API'],
    ['ted', false, 'a name is no form of a one-letter word'],
    ['ames', false, 'nor of a two-letter one'],
    ['constructor', true, 'it is in the list, not on a prototype'],
    ['__proto__', false, 'there is no prototype to find it on'],
  ])('whether the vocabulary contains the word %s is %s, because %s', (word, expected) => {
    expect(isKnownWord(word)).toBe(expected);
  });

  test.each<[string, boolean, string]>([
    ['noteIds', true, 'camel case'],
    ['max_tokens', true, 'snake case'],
    ['HTTPError404', true, 'an acronym and a number'],
    ['X-Request-Id', false, 'a lone letter may be part of an id'],
    ['a1b2', false, 'letters and digits in turns are an id'],
    ['d_m_t', false, 'even if the letter is the rest of an English word'],
    ['note12345', false, 'a long number is an id'],
    ['user_ada', false, 'one unknown part is enough'],
    ['größe', false, 'only ASCII is known'],
    ['42', false, 'a number is no name'],
  ])('whether the name %s consists of known words is %s, because %s', (name, expected) => {
    expect(isKnownName(name)).toBe(expected);
  });

  test('names are split at their word boundaries in any spelling', () => {
    expect(splitName('HTTPServer_error-code2')).toEqual(['HTTP', 'Server', 'error', 'code', '2']);
  });
});
