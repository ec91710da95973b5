// `toolscope alerts check` and `test`, and the example rules with their own tests.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { formatBacktest } from '../../src/cli/alerts/format-backtest.ts';
import { parseSeriesName, parseSeriesValues } from '../../src/service/alerts/rule-tests/series-notation.ts';
import { runInProcess } from './run-program.ts';

const EXAMPLES = new URL('../../examples/alerts/', import.meta.url).pathname;

function writeFiles(files: Readonly<Record<string, string>>): string {
  const folder = mkdtempSync(join(tmpdir(), 'toolscope-alerts-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, name), text);
  return folder;
}

const RULES =
  'rules:\n  - { id: errors, kind: metric, metric: error_rate, threshold: 0.1, window: 1m, minCalls: 1 }\n';
const testOf = (expected: string) =>
  `rule_files: [alerts.yaml]\ntests:\n  - input_series:\n      - { series: 'calls{tool="a", code="E"}', values: '5x9' }\n    alert_rule_test:\n      - { eval_time: 5m, alertname: errors, exp_alerts: ${expected} }\n`;

describe('alerts', () => {
  test('the example rules are valid and pass their own tests', async () => {
    const checked = await runInProcess(['alerts', 'check', join(EXAMPLES, 'alerts.yaml')]);
    expect([checked.code, checked.stdout]).toEqual([0, expect.stringContaining('11 rules')]);
    const tested = await runInProcess(['alerts', 'test', join(EXAMPLES, 'alerts.test.yaml')]);
    expect(tested.stdout).toContain('4 tests, 0 expectations failed.');
    expect(tested.code).toBe(0);
  });

  test.each([
    { expected: '[{ exp_labels: { tool: a } }]', code: 0, line: '0 expectations failed' },
    { expected: '[]', code: 1, line: 'test, errors at 5m: got {alertname="errors"' },
    { expected: '[{ exp_labels: { tool: b } }]', code: 1, line: 'expected {tool="b"}; got' },
  ])('a test that expects $expected exits with $code', async ({ expected, code, line }) => {
    const folder = writeFiles({ 'alerts.yaml': RULES, 'alerts.test.yaml': testOf(expected) });
    const run = await runInProcess(['alerts', 'test', join(folder, 'alerts.test.yaml')]);
    expect([run.code, run.stdout]).toEqual([code, expect.stringContaining(line)]);
  });

  test('a mistake in the rules or in a test is refused with line and column', async () => {
    const folder = writeFiles({
      'alerts.yaml': RULES.replace('0.1', 'x'),
      'bad.test.yaml': 'rule_files: 7\n',
    });
    const rules = await runInProcess(['alerts', 'check', join(folder, 'alerts.yaml')]);
    expect([rules.code, rules.stderr]).toEqual([
      2,
      expect.stringContaining('alerts.yaml:2:64: rule "errors"'),
    ]);
    const tests = await runInProcess(['alerts', 'test', join(folder, 'bad.test.yaml')]);
    expect([tests.code, tests.stderr]).toEqual([2, expect.stringContaining('bad.test.yaml:1:13')]);
  });

  test.each([
    { args: ['alerts'], because: 'no action' },
    { args: ['alerts', 'check'], because: 'no file' },
    { args: ['alerts', 'backtest', 'file'], because: 'a backtest has no file' },
  ])('$args is refused: $because', async ({ args }) => {
    const { code, stderr } = await runInProcess(args);
    expect([code, stderr]).toEqual([
      2,
      expect.stringContaining('Expected check <file>, test <file> or backtest'),
    ]);
  });

  test('a backtest lists each rule with the times at which it would have fired', () => {
    const rule = { kind: 'metric' as const, sentence: '', threshold: 1, values: [], problem: null };
    const firing = {
      ...{ labels: {}, value: 2, sentence: 'It failed.' },
      ...{ firedAt: '2026-01-05T10:00:00.000Z', resolvedAt: null },
    };
    const range = { fromMs: Date.UTC(2026, 0, 1), toMs: Date.UTC(2026, 0, 8) };
    const rules = [
      { ...rule, id: 'quiet', firings: [], firingCount: 0 },
      { ...rule, id: 'loud', firings: [firing], firingCount: 3 },
      { ...rule, id: 'disk', firings: [], firingCount: 0, problem: 'Not stored.' },
    ];
    expect(formatBacktest({ range, rules }).trimEnd().split('\n')).toEqual([
      'From 2026-01-01 00:00Z to 2026-01-08 00:00Z:',
      'quiet: never',
      'loud: 3 times',
      '  2 earlier ones',
      '  2026-01-05 10:00Z to now  It failed.',
      'disk: Not stored.',
    ]);
  });
});

describe('series of rule tests', () => {
  test.each([
    { text: '1 2', values: [1, 2], because: 'single values' },
    { text: '5x2', values: [5, 5, 5], because: 'a value and two repetitions' },
    { text: '1+2x2', values: [1, 3, 5], because: 'a value and two further ones' },
    { text: '4-1x2 _ 7', values: [4, 3, 2, null, 7], because: 'downward, a gap' },
    { text: '_x2 1', values: [null, null, 1], because: 'two gaps' },
  ])('$text: $because', ({ text, values }) => {
    expect(parseSeriesValues(text)).toEqual(values);
  });

  test.each(['calls{', 'calls{tool=a}', '7', 'calls{tool="a"'])('the series %s is refused', (text) => {
    expect(() => parseSeriesName(text)).toThrow('cannot be read');
  });
});
