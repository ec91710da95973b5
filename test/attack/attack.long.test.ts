// The attacks in their short form; `npm run attack` is the long one.
import { describe, expect, test } from 'vitest';
import { readAttacks } from './read-attacks.ts';

for (const { subject, attacks } of await readAttacks('short')) {
  describe(`under attack: ${subject}`, () => {
    for (const attack of attacks) {
      test(attack.title, async () => {
        expect((await attack.run('short')).broken).toEqual([]);
      });
    }
  });
}

test('there are attacks to run', async () => {
  expect((await readAttacks('short')).flatMap(({ attacks }) => attacks)).not.toEqual([]);
});
