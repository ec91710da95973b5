import { describe, expect, test } from 'vitest';
import { type Alert, type AlertState, EMPTY_ALERT_STATE } from '../../../src/service/alerts/alert-records.ts';
import { type AlertPurgeSelection, purgeAlertState } from '../../../src/service/alerts/purge-alert-state.ts';

const alert = (server: string, session: string, seenMs = 1_000): Alert => ({
  fingerprint: `${server}/${session}`,
  labels: { alertname: 'long', server, session_id: session },
  evidence: {
    sentence: `Session ${session} made 40 calls.`,
    value: 40,
    threshold: 30,
    tools: [],
    details: {},
  },
  ruleId: 'long',
  groupLabels: {},
  state: 'firing',
  activeMs: 0,
  firedMs: 0,
  seenMs,
  resolvedMs: null,
  notified: 'firing',
});

const ALERTS = [
  alert('notes', 's1'),
  alert('notes', 's12'),
  alert('other', 's1'),
  alert('notes', 'new', 9_000),
];

const alertState: AlertState = {
  ...EMPTY_ALERT_STATE,
  alertSet: { alerts: ALERTS, groups: [] },
  silences: ['s1', 's12'].map((value) => ({
    id: value,
    matchers: [{ name: 'session_id', value, isEqual: true }],
    comment: '',
    createdMs: 0,
    expiresMs: 99_000,
  })),
  outbox: {
    references: [],
    sequence: 3,
    waiting: [
      {
        id: 'm1',
        receiver: 'hook',
        createdMs: 1_000,
        attempts: 0,
        lastMs: null,
        nextMs: 0,
        httpStatus: null,
        reason: '',
        message: {
          ruleId: 'long',
          receivers: ['hook'],
          groupKey: '{}',
          groupLabels: {},
          status: 'firing',
          alerts: ALERTS,
          truncated: 0,
          news: ALERTS.map(({ fingerprint }) => fingerprint),
          atMs: 1_000,
        },
      },
    ],
    ended: [],
  },
};

const remainingAfter = (forgotten: AlertPurgeSelection) => {
  const next = purgeAlertState(alertState, forgotten).alertState;
  const [waiting] = next.outbox.waiting;
  return {
    alerts: next.alertSet.alerts.map(({ fingerprint }) => fingerprint),
    told: waiting?.message.news ?? [],
    silences: next.silences.map(({ id }) => id),
  };
};

describe('purgeAlertState', () => {
  test.each<[AlertPurgeSelection, string[], string[], string]>([
    [
      { sessions: [{ server: 'notes', id: 's1' }], beforeMs: undefined },
      ['notes/s12', 'other/s1', 'notes/new'],
      ['s12'],
      'only this session of this server goes, and not the one whose id begins alike',
    ],
    [
      { sessions: [{ id: 's1' }], beforeMs: undefined },
      ['notes/s12', 'notes/new'],
      ['s12'],
      'without a server it goes everywhere',
    ],
    [
      { sessions: [], beforeMs: 5_000 },
      ['notes/new'],
      ['s1', 's12'],
      'what was last seen before goes, a silence is no sight',
    ],
    [
      { sessions: [], beforeMs: undefined },
      ALERTS.map(({ fingerprint }) => fingerprint),
      ['s1', 's12'],
      'nothing was named',
    ],
  ])('a purge of %j keeps the alerts %j and the silences %j, because %s', (forgotten, alerts, silences) => {
    expect(remainingAfter(forgotten)).toEqual({ alerts, told: alerts, silences });
  });

  test('a message whose alerts are all purged is not sent, and the purged records are counted', () => {
    const all = { sessions: [{ id: 's1' }, { id: 's12' }, { id: 'new' }], beforeMs: undefined };
    const { alertState: next, records } = purgeAlertState(alertState, all);
    expect(next.outbox.waiting).toEqual([]);
    // Four alerts, four told of in the message, two silences.
    expect(records).toBe(10);
  });
});
