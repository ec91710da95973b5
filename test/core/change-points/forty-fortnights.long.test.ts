// The figures of docs/change-points.md: forty fortnights with one fault of each kind, and their false alarms.

import { expect, test } from 'vitest';
import { type FaultResult, runFortnight } from './run-fortnight.ts';
import { FAULT_KINDS, type FaultKind } from './simulated-fortnight.ts';

const FORTNIGHTS = 40;
/** Minutes within which nine of ten faults show. */
const MAX_DELAYS: Partial<Record<FaultKind, number>> = {
  step: 5,
  rise: 10,
  spike: 5,
  slower: 5,
  tail: 10,
  outage: 5,
};
const COMPARED: readonly FaultKind[] = ['ramp', 'drift', 'sparse'];

test('forty fortnights keep the delays and at most one false alarm in a week', { timeout: 900_000 }, () => {
  const results = Array.from({ length: FORTNIGHTS }, (_, seed) => runFortnight(seed, true));
  const faults = results.flatMap((one) => one.faults);
  const falseAlarms = results.flatMap((one) => one.falseAlarms).length / FORTNIGHTS / 2;
  const lines = FAULT_KINDS.map((kind) =>
    describeKind(
      kind,
      faults.filter((one) => one.kind === kind),
    ),
  );
  process.stdout.write(`${lines.join('\n')}\nfalse alarms a week: ${falseAlarms}\n`);
  for (const kind of FAULT_KINDS) {
    const own = faults.filter((one) => one.kind === kind);
    expect(toQuantile(own.map(toDelay), 0.9), kind).toBeLessThanOrEqual(MAX_DELAYS[kind] ?? Number.MAX_VALUE);
    if (COMPARED.includes(kind)) expect(toRatio(own), kind).toBeLessThanOrEqual(1.5);
  }
  expect(falseAlarms).toBeLessThanOrEqual(1);
});

const toDelay = ({ delay }: FaultResult): number => delay ?? Number.POSITIVE_INFINITY;

/** Mean delay relative to the mean delay of the oracle. */
function toRatio(faults: readonly FaultResult[]): number {
  const compared = faults.filter(({ oracleDelay }) => oracleDelay !== undefined);
  const sum = (values: readonly number[]): number => values.reduce((all, one) => all + one, 0);
  return sum(compared.map(toDelay)) / sum(compared.map(({ oracleDelay }) => oracleDelay ?? 0));
}

function toQuantile(values: readonly number[], share: number): number {
  const sorted = [...values].sort((one, other) => one - other);
  return sorted[Math.ceil(share * sorted.length) - 1] ?? Number.NaN;
}

function describeKind(kind: FaultKind, faults: readonly FaultResult[]): string {
  const delays = faults.map(toDelay);
  const quantiles = [0.5, 0.9, 1].map((share) => toQuantile(delays, share)).join(' / ');
  return `${kind}: median / p90 / greatest delay ${quantiles} minutes, ${toRatio(faults).toFixed(2)} times the oracle's`;
}
