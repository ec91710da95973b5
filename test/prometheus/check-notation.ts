// Series of rule tests mean what they mean to promtool: its unit tests expect the values that Toolscope reads.
import { execFile } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { parseSeriesValues } from '../../src/service/alerts/rule-tests/series-notation.ts';

const run = promisify(execFile);

const VALUES = [
  '1 2 3',
  '20x9',
  '0x3 5x2 0x4',
  '1+2x3',
  '10-3x3',
  '1 _ 3',
  '_x3 7x2',
  '20x9 18+1x10 _x2 1.5x3',
];

export async function checkNotation(
  folder: string,
  promtool: string,
  print: (what: string, problem: string | undefined) => void,
): Promise<void> {
  const rules = join(folder, 'rules.yaml');
  // Without staleness, a missing value would be the one before it for five minutes.
  writeFileSync(
    rules,
    JSON.stringify({
      groups: [{ name: 'g', rules: [{ record: 'seen', expr: 'last_over_time(calls[30s])' }] }],
    }),
  );
  for (const [at, values] of VALUES.entries()) {
    const file = join(folder, `test-${at}.yaml`);
    writeFileSync(file, JSON.stringify(toPromtoolTest(rules, values)));
    const ended = await run(promtool, ['test', 'rules', file]).then(
      () => undefined,
      (error: Error & { readonly stdout?: string }) => (error.stdout ?? error.message).slice(0, 500),
    );
    print(`promtool reads ${JSON.stringify(values)} as Toolscope does`, ended);
  }
}

function toPromtoolTest(rules: string, values: string): object {
  return {
    rule_files: [rules],
    evaluation_interval: '1m',
    tests: [
      {
        interval: '1m',
        input_series: [{ series: 'calls{tool="pay"}', values }],
        promql_expr_test: parseSeriesValues(values).map((value, minute) => ({
          expr: 'last_over_time(calls[30s])',
          eval_time: `${minute}m`,
          exp_samples: value === null ? [] : [{ labels: 'calls{tool="pay"}', value }],
        })),
      },
    ],
  };
}
