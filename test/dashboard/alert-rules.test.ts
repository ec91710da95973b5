// The form of an alert rule without a browser: fields and the entry of the rules file, and the chart.
import { describe, expect, test } from 'vitest';
import {
  describeFirings,
  prepareRuleChart,
  toFiringPath,
  toLinePath,
} from '../../dashboard/src/pages/alert-rule/prepare-rule-chart.ts';
import {
  firstFree,
  NEW_RULE,
  suggestId,
  toDraft,
  toEntry,
  withMetric,
} from '../../dashboard/src/pages/alert-rule/rule-draft.ts';
import { chooseTrends, prepareAlertTrend } from '../../dashboard/src/pages/alerts/prepare-alert-trend.ts';
import { RuleEntry } from '../../src/service/alerts/alert-rule.ts';
import { createFixtureAlerts } from './fixture-alerts.ts';

const MATCH = { ...NEW_RULE.match, tool: 'create_order, refund' };

describe('entry of the rules file', () => {
  test.each([
    [
      {
        ...{ id: 'a', kind: 'metric', metric: 'error_rate', threshold: 0.07, match: { tool: ['x'] } },
        ...{ for: '5m', per: ['server'], groupInterval: '5m', notify: ['log'] },
      },
      'fields that the form does not have are kept',
    ],
    [{ id: 'a', kind: 'metric', metric: 'calls', op: '<', threshold: 1, window: '1h', notify: [] }, 'counts'],
    [{ id: 'a', kind: 'changed', metric: 'p95', direction: 'up', factor: 2, notify: ['log'] }, 'the usual'],
    [{ id: 'a', kind: 'event', event: 'tool_removed', severity: 'info', notify: ['log'] }, 'an event'],
    [{ id: 'storm', kind: 'storm', enabled: false }, 'a disabled rule, with the receivers of loops'],
    [{ id: 'storm', kind: 'storm', notify: ['dashboard', 'log'] }, 'a storm with receivers of its own'],
    [{ id: 'a', kind: 'session_over_calls', calls: 50, notify: ['log'] }, 'long sessions'],
    [{ id: 'a', kind: 'suspected_loop', severity: 'confirmed', notify: ['log'] }, 'loops'],
  ])('%j is the same after it was in the form: %s', (entry, _because) => {
    const { kind } = RuleEntry.parse(entry);
    expect(toEntry(toDraft({ kind, entry }))).toEqual(entry);
  });

  test('the form of a new rule gives a valid entry, with a percentage as a fraction', () => {
    const entry = toEntry({ ...NEW_RULE, id: 'a', match: MATCH, threshold: '7' });
    expect(RuleEntry.safeParse(entry).error).toBeUndefined();
    expect(entry).toMatchObject({ threshold: 0.07, match: { tool: ['create_order', 'refund'] } });
  });

  test('what is no number is left to the service to refuse', () => {
    expect(toEntry({ ...NEW_RULE, threshold: 'a lot' })).toMatchObject({ threshold: 'a lot' });
  });

  test.each([
    ['p95', '1000', 'milliseconds are no percentage'],
    ['server_error_rate', '5', 'it is a percentage, too'],
    ['calls', '100', 'it is a number of calls'],
  ])('with the metric %s the threshold is %s because %s', (metric, threshold) => {
    expect(withMetric(NEW_RULE, metric).threshold).toBe(threshold);
  });

  test('ids are suggested from the tool and the metric, and are free', () => {
    expect(suggestId({ ...NEW_RULE, match: MATCH }, [])).toBe('create-order-error-rate');
    expect(suggestId(NEW_RULE, ['error-rate'])).toBe('error-rate-2');
    expect(firstFree('slack', ['slack', 'slack-2'])).toBe('slack-3');
  });
});

describe('chart of a rule', () => {
  const at = (minute: number): string => new Date(minute * 60_000).toISOString();
  const values = [0.1, null, 0.3, 0.2].map((value, minute) => ({ at: at(minute), value, n: 20 }));
  const firing = { labels: {}, value: 0.3, sentence: '' };
  const firings = [{ ...firing, firedAt: at(2), resolvedAt: at(3) }];
  const rule = {
    ...{ id: 'a', kind: 'metric' as const, sentence: '', threshold: 0.25, problem: null },
    ...{ firings, firingCount: 1, values },
  };
  const range = { fromMs: 0, toMs: 180_000 };

  test('the line has a gap where nothing was measured, and a firing is a band', () => {
    const chart = prepareRuleChart(rule, range) ?? expect.unreachable('there are values');
    expect(chart.maxValue).toBeGreaterThan(0.3);
    expect(toLinePath(chart).match(/[ML]/g)).toEqual(['M', 'M', 'L']);
    expect(toFiringPath(chart)).toBe(`M120000 0h60000v${chart.maxValue}h-60000z`);
  });

  test('without values there is no chart', () => {
    expect(prepareRuleChart({ ...rule, values: [] }, range)).toBeUndefined();
  });

  test.each([
    [0, null, 'Would not have fired in the last 7 days.'],
    [1, null, 'Would have fired once in the last 7 days.'],
    [12, null, 'Would have fired 12 times in the last 7 days.'],
    [0, 'It reads too much.', 'There is no backtest: It reads too much.'],
  ])('%i firings with the problem %j are described as "%s"', (firingCount, problem, text) => {
    expect(describeFirings({ firingCount, problem })).toBe(text);
  });
});

test('alerts that fire have the calls around them, the first five only', async () => {
  const { alerts } = await createFixtureAlerts(() => 1_800_000_000_000).alerts({});
  const [firing] = alerts;
  const many = Array.from({ length: 9 }, (_, n) => ({ ...firing!, fingerprint: `f${n}` }));
  expect(chooseTrends(alerts)).toEqual(new Set(['f0']));
  expect(chooseTrends(many).size).toBe(5);
  const point = { atMs: 0, sessions: 1, p95Ms: null };
  const trend = prepareAlertTrend({
    points: [
      { ...point, calls: 4, errors: 1 },
      { ...point, calls: 0, errors: 0 },
    ],
  });
  expect(trend).toMatchObject({ calls: 4, errors: 1 });
  expect([trend.callBars, trend.errorBars]).toEqual(['M0 24v-24h40v24z', 'M0 24v-6h40v6z']);
});
