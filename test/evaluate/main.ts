// `npm run evaluate -- [--keys 3] [--made N] [--splice N] [--seed S] [--errors] [FILE|DIR …]`: how well loops are told from work,
// on the corpus, on sessions of the files named, on stretches spliced into all of those, and on N made sessions of each kind.
// Ends with 1 if the F1 of a set of twenty loops or more is below 95, a verdict depends on the key, or a made clean session is flagged.
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { judgeAll, makeReductions, type Tally, type Wrong } from './judge.ts';
import { readSets } from './read-sessions.ts';
import { kindTable, type Score, scoreOf, setTable } from './score.ts';
import { type LabelledSet, makeAll, spliceAll } from './sets.ts';

const CORPUS = fileURLToPath(new URL('../fixtures/loops', import.meta.url));
const LEAST_F1 = 95;

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    keys: { type: 'string', default: '3' },
    made: { type: 'string', default: '0' },
    splice: { type: 'string', default: '40' },
    seed: { type: 'string' },
    errors: { type: 'boolean', default: false },
  },
});

function collectSets(): LabelledSet[] {
  const recorded = [CORPUS, ...positionals].flatMap(readSets);
  const hosts = recorded
    .flatMap(({ sessions }) => sessions)
    .filter(({ label, calls }) => label === 'clean' && calls.length > 1);
  const seed = values.seed === undefined ? undefined : Number(values.seed);
  const sets: LabelledSet[] = mergePairs(recorded);
  if (hosts.length > 0)
    sets.push({ name: 'spliced', sessions: spliceAll(hosts, { count: Number(values.splice), seed }) });
  if (Number(values.made) > 0)
    sets.push({ name: 'made', sessions: makeAll({ count: Number(values.made), seed }) });
  return sets;
}

/** `x.clean` and `x.loop` are two halves of one set. */
function mergePairs(sets: ReturnType<typeof readSets>): LabelledSet[] {
  const names = [...new Set(sets.map(({ name }) => name.replace(/\.(?:clean|loop)$/, '')))];
  return names.map((name) => ({
    name,
    sessions: sets
      .filter((set) => set.name.replace(/\.(?:clean|loop)$/, '') === name)
      .flatMap((set) => set.sessions),
  }));
}

function tellWrong({ session, flagged, sentences }: Wrong): void {
  const said = [...new Set(sentences)].map((sentence) => `    ${sentence}`);
  const keys = `flagged under ${flagged} of ${values.keys} keys`;
  console.log(`  ${session.label} ${session.kind}: ${session.sessionId}, ${keys}; ${session.because}`);
  if (said.length > 0) console.log(said.join('\n'));
}

/** Fewer say nothing of a share. */
const LOOPS_TO_JUDGE = 20;

function passes(name: string, { loops, f1 = 100, flips, falseAlarms }: Score): boolean {
  return (loops < LOOPS_TO_JUDGE || f1 >= LEAST_F1) && flips === 0 && (name !== 'made' || falseAlarms === 0);
}

const reductions = makeReductions(Number(values.keys));
const results = collectSets().map(({ name, sessions }): readonly [string, Tally[]] => {
  if (values.errors) console.log(`wrong in ${name}:`);
  return [name, judgeAll(sessions, reductions, values.errors ? tellWrong : () => {})];
});
const everything = ['all', results.flatMap(([, tallies]) => tallies)] as const;
const scores = [...results, everything].map(([name, tallies]) => [name, scoreOf(tallies)] as const);
for (const [name, tallies] of results) console.log(`${name}\n${kindTable(tallies)}\n`);
console.log(setTable(scores));
process.exitCode = scores.every(([name, score]) => passes(name, score)) ? 0 : 1;
