import fc from 'fast-check';
import { expect, test } from 'vitest';
import { playSession, type SessionCall } from './play-session.ts';

/** In no vocabulary and in no schema. */
const word = fc.integer({ min: 0, max: 2 ** 30 }).map((n) => `qzxw${n.toString(36)}jvkq`);
const leaf = fc.oneof(
  word,
  fc.integer({ min: 1_000_003, max: 2 ** 40 }),
  word.map((id) => `https://${id}.example/${id}?q=${id}`),
  word.map((id) => `see ${id}, ${id}@mail.example or {"${id}": 1}`),
);
const value = fc.letrec((tie) => ({
  node: fc.oneof(
    { maxDepth: 4 },
    leaf,
    fc.array(tie('node'), { maxLength: 3 }),
    fc.dictionary(word, tie('node'), { maxKeys: 3, noNullPrototype: true }),
  ),
})).node;

const call: fc.Arbitrary<SessionCall> = fc.record({
  tool: fc.constantFrom('get_user', 'search_users'),
  arguments: fc.dictionary(word, value, { maxKeys: 3, noNullPrototype: true }),
  result: fc.oneof(value, word, leaf.map(String)),
});

test('whatever stands in arguments and results, no value and no undeclared key leaves, and every result can be used', () => {
  let edges = 0;
  fc.assert(
    fc.property(fc.array(call, { minLength: 1, maxLength: 4 }), (calls) => {
      // The second half takes what the first half returned.
      const fed = calls.map(({ tool, result }) => ({ tool, arguments: { id: result }, result }));
      const sent = JSON.stringify(playSession([...calls, ...fed]));
      edges += sent.split('"result').length;
      expect(sent).not.toMatch(/qzxw|jvkq|\d{4}/);
    }),
    { numRuns: 200 },
  );
  expect(edges).toBeGreaterThan(500);
});
