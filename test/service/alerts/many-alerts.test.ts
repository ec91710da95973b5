// What one evaluation costs when thousands of sessions are long at once: it is done in one turn of the event loop.
import { expect, test } from 'vitest';
import type { Alert } from '../../../src/service/alerts/alert-records.ts';
import { evaluateAlerts } from '../../../src/service/alerts/evaluate-alerts.ts';
import { NOW, SESSION_RULE } from './sample.ts';

/** Alerts of long sessions, each of which tells how often it is looked at. */
function longSessions(count: number) {
  const looks = { labels: 0, fingerprints: 0 };
  const alerts = Array.from({ length: count }, (_, at): Alert => {
    const labels = { server: 'notes', session_source: 'transport', session_id: `s${at}` };
    return {
      get fingerprint() {
        looks.fingerprints += 1;
        return `long-${at}`;
      },
      get labels() {
        looks.labels += 1;
        return labels;
      },
      evidence: { sentence: '', value: 31, threshold: 30, tools: [], details: {} },
      ruleId: SESSION_RULE.id,
      groupLabels: { alertname: SESSION_RULE.id, server: 'notes' },
      state: 'firing',
      activeMs: NOW,
      firedMs: NOW,
      seenMs: NOW,
      resolvedMs: null,
      notified: 'nothing',
    };
  });
  return { alerts, looks };
}

test('the work of an evaluation grows linearly with the number of alerts', () => {
  const { alerts, looks } = longSessions(1_000);
  const facts = { loops: [], storms: [], sessions: new Map(), silences: [] };
  const { messages } = evaluateAlerts({ alerts, groups: [] }, { ...facts, rules: [SESSION_RULE] }, NOW);
  expect(messages.map(({ news }) => news.length)).toEqual([1_000]);
  expect(looks.labels).toBeLessThan(20_000);
  expect(looks.fingerprints).toBeLessThan(20_000);
});
