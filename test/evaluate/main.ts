// `npm run evaluate -- [--keys 3] [--made N] [--splice N] [--seed S] [--errors] [FILE|DIR …]`: how well loops are told from work,
// on the corpus, on sessions of the files named, on stretches spliced into all of those, and on N made sessions of each kind.
// Ends with 1 if the F1 of a set of twenty loops or more is below 95, a verdict depends on the key, or a made clean session is flagged.
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import {
  createRedactions,
  evaluateSessions,
  type KindTally,
  type Misclassification,
} from './evaluate-sessions.ts';
import { readSets } from './read-sessions.ts';
import { computeScore, formatKindTable, formatSetTable, type Score } from './score.ts';
import { type LabelledSet, makeSplicedSessions, makeSyntheticSessions } from './sets.ts';

const CORPUS = fileURLToPath(new URL('../fixtures/loops', import.meta.url));
const MIN_F1 = 95;

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
    sets.push({
      name: 'spliced',
      sessions: makeSplicedSessions(hosts, { count: Number(values.splice), seed }),
    });
  if (Number(values.made) > 0)
    sets.push({ name: 'made', sessions: makeSyntheticSessions({ count: Number(values.made), seed }) });
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

function printMisclassification({ session, flagged, sentences }: Misclassification): void {
  const uniqueSentences = [...new Set(sentences)].map((sentence) => `    ${sentence}`);
  const keys = `flagged under ${flagged} of ${values.keys} keys`;
  console.log(`  ${session.label} ${session.kind}: ${session.sessionId}, ${keys}; ${session.because}`);
  if (uniqueSentences.length > 0) console.log(uniqueSentences.join('\n'));
}

/** Fewer say nothing of a share. */
const MIN_LOOPS = 20;

function passes(name: string, { loops, f1 = 100, flips, falseAlarms }: Score): boolean {
  return (loops < MIN_LOOPS || f1 >= MIN_F1) && flips === 0 && (name !== 'made' || falseAlarms === 0);
}

const redactions = createRedactions(Number(values.keys));
const results = collectSets().map(({ name, sessions }): readonly [string, KindTally[]] => {
  if (values.errors) console.log(`wrong in ${name}:`);
  return [name, evaluateSessions(sessions, redactions, values.errors ? printMisclassification : () => {})];
});
const everything = ['all', results.flatMap(([, tallies]) => tallies)] as const;
const scores = [...results, everything].map(([name, tallies]) => [name, computeScore(tallies)] as const);
for (const [name, tallies] of results) console.log(`${name}\n${formatKindTable(tallies)}\n`);
console.log(formatSetTable(scores));
process.exitCode = scores.every(([name, score]) => passes(name, score)) ? 0 : 1;
