// How the dashboard describes alerts.
import { describe, expect, test } from 'vitest';
import {
  describeAlerts,
  describeAlertValue,
  describeDelivery,
  formatMatcher,
} from '../../dashboard/src/pages/alerts/describe-alerts.ts';
import { createFixtureAlerts } from './fixture-alerts.ts';

const fixture = createFixtureAlerts(() => 1_800_000_000_000);
const { alerts, rules } = await fixture.alerts({});
const [firing] = alerts;
const [deliveryRecord] = (await fixture.alertDeliveries({})).deliveries;

describe('sentence of the alerts page', () => {
  test.each([
    ['1 firing alert. 2 active rules.', 'pending and resolved ones do not count', { alerts, rules }],
    ['No active alerts. 2 active rules.', 'nothing was found', { alerts: [], rules }],
    ['No active alerts. No active rules.', 'silence of the rules is not peace', { alerts: [], rules: [] }],
    [
      '2 firing alerts, 1 silenced. 1 active rule.',
      'a silenced alert still fires',
      { alerts: [firing!, { ...firing!, silencedBy: ['s0'] }], rules: rules.slice(0, 1) },
    ],
  ])('the sentence is "%s" because %s', (expected, _because, answer) => {
    expect(describeAlerts(answer)).toBe(expected);
  });
});

test.each([
  [{ value: 202, threshold: 0, severity: 'confirmed' }, '202 repetitions, confirmed', 'it is a loop'],
  [{ value: 45, threshold: 30, severity: null }, '45 calls, threshold 30', 'its rule counts calls'],
  [{ value: 1, threshold: 0, severity: null }, '1 session', 'it is a storm'],
] as const)('the value of the alert %j is "%s" because %s', (alert, expected, _because) => {
  expect(describeAlertValue(alert)).toBe(expected);
});

describe('alert matcher', () => {
  test.each([
    [{ name: 'tool', value: 'move', isEqual: true }, 'tool = move'],
    [{ name: 'server', value: 'notes', isEqual: false }, 'server ≠ notes'],
    [{ name: 'environment', value: '', isEqual: true }, 'environment = (none)'],
  ] as const)('the matcher %j is shown as %s', (matcher, expected) => {
    expect(formatMatcher(matcher)).toBe(expected);
  });
});

describe('notification delivery', () => {
  test.each([
    [{}, 'waiting HTTP 503 after 3 attempts: the receiver is busy', 'it says why and how often'],
    [{ attempts: 1, httpStatus: null }, 'waiting: the receiver is busy', 'one try is no number'],
    [
      { status: 'delivered', httpStatus: 200, attempts: 2 },
      'delivered HTTP 200 after 2 attempts',
      'the reason is past',
    ],
  ] as const)('a delivery with %j is described as %s because %s', (change, expected, _because) => {
    expect(describeDelivery({ ...deliveryRecord!, ...change })).toBe(expected);
  });
});
