// `npm run torture -- [--seed N] [--seconds N] [--kills N]`: ten minutes and fifty kills unless told otherwise. Exits with 1
// if anything was lost, is there twice, or is counted wrongly.
import { parseArgs } from 'node:util';
import { formatTally, runTorture } from './torture.ts';

const { values } = parseArgs({
  options: {
    seed: { type: 'string', default: String(Math.floor(Math.random() * 2 ** 31)) },
    seconds: { type: 'string', default: '600' },
    kills: { type: 'string', default: '50' },
  },
});
const [seed, seconds, kills] = [values.seed, values.seconds, values.kills].map(Number) as [
  number,
  number,
  number,
];
if (![seed, seconds, kills].every(Number.isSafeInteger)) {
  console.error('--seed, --seconds and --kills take whole numbers.');
  process.exit(2);
}

console.error(`seed ${seed}, ${seconds} s and at least ${kills} kills`);
const report = await runTorture({ seed, seconds, kills, say: (sentence) => console.error(sentence) });
const { tally, hasDisk, promised, unpromised, starved, stored, quarantined, lost, twice, differences } =
  report;
console.log(
  `seed ${seed}: ${formatTally(tally)}${hasDisk ? '' : ' (mounting a small disk is not allowed here)'}`,
);
console.log(
  `${promised} promised, ${unpromised} answered too late to be; ${stored} stored, ${quarantined} in quarantine`,
);
console.log(`${starved} lost by processes that the machine hardly let run in their last 200 ms`);
console.log(`${lost.length} lost, ${twice.length} twice, ${differences.length} rollup figures that differ`);
for (const line of [...lost, ...twice, ...differences].slice(0, 40)) console.log(`  ${line}`);
process.exitCode = lost.length + twice.length + differences.length === 0 ? 0 : 1;
