// `npm run flood -- [--seconds N] [--rows-per-second N]`: two minutes against a store that takes 400 rows a second, unless told
// otherwise. Prints the figures; exits with 1 if one is not as promised.
import { parseArgs } from 'node:util';
import { runFlood } from './flood.ts';

const { values } = parseArgs({
  options: {
    seconds: { type: 'string', default: '120' },
    'rows-per-second': { type: 'string', default: '400' },
  },
});
const measurements = await runFlood({
  seconds: Number(values.seconds),
  rowsPerSecond: Number(values['rows-per-second']),
});
console.log(JSON.stringify(measurements, null, 2));
const { lost, twice, differences, failedQuestions, slowestRefusalMs, slowestQuestionMs } = measurements;
const isWithinLimits =
  lost + twice + differences.length + failedQuestions + measurements.unanswered === 0 &&
  measurements.times >= 20 &&
  measurements.refusedByMetrics === measurements.refused &&
  measurements.largestMegabytes < 450 &&
  slowestRefusalMs < 1_000 &&
  slowestQuestionMs < 2_000;
process.exitCode = isWithinLimits ? 0 : 1;
