// The attacks in their short form; `npm run attack` is the long one.
import { describe, expect, test } from 'vitest';
import { readAttacks } from './read-attacks.ts';

for (const { subject, attacks } of await readAttacks('short')) {
  describe(`attacks on ${subject}`, () => {
    for (const attack of attacks) {
      test(attack.title, async () => {
        expect((await attack.run('short')).broken).toEqual([]);
      });
    }
  });
}

test('the attack files hold at least one attack', async () => {
  expect((await readAttacks('short')).flatMap(({ attacks }) => attacks)).not.toEqual([]);
});
