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

describe('names declared by a schema', () => {
  test('declared names are found through references at any depth', () => {
    const below = toPropertyLocation(toPropertyLocation(toSchemaLocation(TREE), 'zorp'), 'zorp');
    expect(declaresProperty(below, 'kind')).toBe(true);
    expect(declaresProperty(below, 'wellies')).toBe(false);
  });

  test('collecting the words of a recursive schema ends', () => {
    expect(collectDeclaredWords(TREE)).toEqual(['zorp', 'kind', 'vroom']);
  });

  test.each<[unknown, string]>([
    [undefined, 'no schema'],
    [true, 'the schema that allows all'],
    ['zorp', 'no schema either'],
    [{ $ref: 'https://example.org/x' }, 'a document we do not fetch'],
    [{ $ref: '#/nowhere' }, 'a reference to nothing'],
    [{ properties: null, items: 3, anyOf: 'x' }, 'nonsense'],
  ])('the schema %j declares no names: %s', (schema) => {
    expect(collectDeclaredWords(schema)).toEqual([]);
    expect(declaresProperty(toSchemaLocation(schema), 'toString')).toBe(false);
  });

  test('names that every object inherits are not declared', () => {
    expect(declaresProperty(toSchemaLocation({ properties: {} }), 'constructor')).toBe(false);
  });
});
