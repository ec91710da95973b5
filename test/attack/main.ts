// `npm run attack -- [--size short|full] [SUBJECT…]`: the attacks one after the other, on loopback, each bounded in time. Exits
// with 1 if one of them was not withstood.
import { parseArgs } from 'node:util';
import type { Attack, AttackSize } from './attack.ts';
import { readAttacks } from './read-attacks.ts';

const { values, positionals } = parseArgs({
  options: { size: { type: 'string', default: 'full' } },
  allowPositionals: true,
});
if (values.size !== 'short' && values.size !== 'full') {
  console.error(`--size takes short or full, not ${values.size}.`);
  process.exit(2);
}
const groups = await readAttacks(values.size);
const unknown = positionals.filter((name) => !groups.some(({ subject }) => subject === name));
if (unknown.length > 0) {
  console.error(
    `No attacks on ${unknown.join(', ')}; there are ${groups.map(({ subject }) => subject).join(', ')}.`,
  );
  process.exit(2);
}

let broken = 0;
for (const { subject, attacks } of groups) {
  if (positionals.length > 0 && !positionals.includes(subject)) continue;
  for (const attack of attacks) broken += await runAttack(attack, values.size);
}
console.log(broken === 0 ? 'All attacks were withstood.' : `${broken} attacks were not withstood.`);
process.exitCode = broken === 0 ? 0 : 1;

async function runAttack(attack: Attack, size: AttackSize): Promise<number> {
  const started = performance.now();
  const { broken, figures: measurements } = await attack.run(size);
  const seconds = ((performance.now() - started) / 1000).toFixed(1);
  console.log(`${broken.length === 0 ? 'held' : 'BROKEN'}  ${attack.title} (${seconds} s)`);
  for (const [name, value] of Object.entries(measurements)) console.log(`        ${name}: ${value}`);
  for (const sentence of broken) console.log(`      - ${sentence}`);
  return broken.length === 0 ? 0 : 1;
}
