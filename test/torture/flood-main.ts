// `npm run flood -- [--seconds N] [--rows-per-second N]`: two minutes against a store that takes 400 rows a second, unless told
// otherwise. Prints the figures; exits with 1 if one is not as promised.
import { parseArgs } from 'node:util';
import { flood } from './flood.ts';

const { values } = parseArgs({
  options: {
    seconds: { type: 'string', default: '120' },
    'rows-per-second': { type: 'string', default: '400' },
  },
});
const figures = await flood({
  seconds: Number(values.seconds),
  rowsPerSecond: Number(values['rows-per-second']),
});
console.log(JSON.stringify(figures, null, 2));
const { lost, twice, differences, failedQuestions, slowestRefusalMs, slowestQuestionMs } = figures;
const isKept =
  lost + twice + differences.length + failedQuestions + figures.unanswered === 0 &&
  figures.times >= 20 &&
  figures.refusedByMetrics === figures.refused &&
  figures.largestMegabytes < 450 &&
  slowestRefusalMs < 1_000 &&
  slowestQuestionMs < 2_000;
process.exitCode = isKept ? 0 : 1;
