import { describe, expect, test } from 'vitest';
import {
  collectDeclaredWords,
  declaresProperty,
  toPropertyLocation,
  toSchemaLocation,
} from '../../../src/core/values/schema-location.ts';

const TREE = {
  $defs: { node: { properties: { zorp: { $ref: '#/$defs/node' }, kind: { enum: ['vroom', 1] } } } },
  $ref: '#/$defs/node',
};

describe('what a schema declares', () => {
  test('is found through references, however deep', () => {
    const below = toPropertyLocation(toPropertyLocation(toSchemaLocation(TREE), 'zorp'), 'zorp');
    expect(declaresProperty(below, 'kind')).toBe(true);
    expect(declaresProperty(below, 'wellies')).toBe(false);
  });

  test('as words ends although the schema refers to itself', () => {
    expect(collectDeclaredWords(TREE)).toEqual(['zorp', 'kind', 'vroom']);
  });

  test.each<[unknown, string]>([
    [undefined, 'no schema'],
    [true, 'the schema that allows all'],
    ['zorp', 'no schema either'],
    [{ $ref: 'https://example.org/x' }, 'a document we do not fetch'],
    [{ $ref: '#/nowhere' }, 'a reference to nothing'],
    [{ properties: null, items: 3, anyOf: 'x' }, 'nonsense'],
  ])('is nothing for %j: %s', (schema) => {
    expect(collectDeclaredWords(schema)).toEqual([]);
    expect(declaresProperty(toSchemaLocation(schema), 'toString')).toBe(false);
  });

  test('does not include what every object has', () => {
    expect(declaresProperty(toSchemaLocation({ properties: {} }), 'constructor')).toBe(false);
  });
});
