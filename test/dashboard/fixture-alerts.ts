// Alerts to look at: one that fires, one held back, one that is over; a receiver that works and one that does not. Every
// answer is checked against the contract, and silences can be made and ended.

import {
  AlertDeliveriesResponse,
  AlertEventsResponse,
  AlertsResponse,
  AlertTestResponse,
  type SilenceRow,
  SilencesResponse,
} from '../../src/contract/alerts.ts';
import type { AlertHandlers } from '../../src/contract/queries.ts';
import { UserError } from '../../src/errors.ts';
import { createFixtureRules } from './fixture-alert-rules.ts';

const MINUTE = 60_000;

const RULES = [
  {
    id: 'suspected-loop',
    kind: 'suspected_loop',
    enabled: true,
    state: 'firing',
    sentence: 'An agent that is suspected of going round in a loop.',
    match: { server: [], environment: [], tool: [] },
    forSeconds: 0,
    keepFiringForSeconds: 60,
    groupBy: ['alertname', 'server', 'tool'],
    notify: ['dashboard', 'log', 'ops'],
    pending: 0,
    firing: 1,
  },
  {
    id: 'session-over-calls',
    kind: 'session_over_calls',
    enabled: true,
    state: 'pending',
    sentence: 'A session of more than 30 calls.',
    match: { server: [], environment: [], tool: [] },
    forSeconds: 30,
    keepFiringForSeconds: 300,
    groupBy: ['alertname', 'server'],
    notify: ['dashboard', 'log'],
    pending: 1,
    firing: 0,
  },
];

const ALERTS = [
  ['suspected-loop', 'firing', 'notes', 'move', 'stuck-on-a-conflict-7f21', 202, 0, 22],
  ['session-over-calls', 'pending', 'github', '', 'long-and-productive-55ad', 45, 30, 1],
  ['suspected-loop', 'resolved', 'github', 'get_file', 'to-and-fro-0b9c', 22, 0, 178],
] as const;

const SENTENCES = [
  'move was called 202 times in a row with the same arguments, and it failed the same way each time.',
  '45 calls by claude-code in one session.',
  'The same 2 calls (get_file, list_commits) went round 22 times, over.',
];

export interface FixtureAlerts extends AlertHandlers {
  readonly tested: string[];
  /** Ids of deliveries that were sent again. */
  readonly retried: string[];
}

export function createFixtureAlerts(now: () => number): FixtureAlerts {
  const silences: SilenceRow[] = [];
  const tested: string[] = [];
  const retried: string[] = [];
  const acknowledged = new Map<string, { author: string; comment: string; at: string }>();
  const ago = (minutes: number): string => new Date(now() - minutes * MINUTE).toISOString();
  const isActive = ({ expiresAt }: SilenceRow): boolean => Date.parse(expiresAt) > now();
  const show = (silence: SilenceRow): SilenceRow => ({
    ...silence,
    state: isActive(silence) ? 'active' : 'expired',
  });
  const fits = (labels: Record<string, string>) => (silence: SilenceRow) =>
    isActive(silence) &&
    silence.matchers.every(({ name, value, isEqual }) => (labels[name] === value) === isEqual);
  return {
    tested,
    retried,
    alerts: async () =>
      AlertsResponse.parse({
        rules: RULES,
        alerts: ALERTS.map(([ruleId, state, server, tool, sessionId, value, threshold, minutes], at) => {
          const labels: Record<string, string> = {
            alertname: ruleId,
            server,
            session_id: sessionId,
            ...(tool && { tool }),
          };
          return {
            fingerprint: `f${at}`,
            ruleId,
            state,
            labels,
            sentence: SENTENCES[at],
            value,
            threshold,
            severity: ruleId === 'suspected-loop' ? 'confirmed' : null,
            server,
            sessionId,
            tools: tool ? [tool] : [],
            activeAt: ago(minutes),
            firedAt: state === 'pending' ? null : ago(minutes),
            resolvedAt: state === 'resolved' ? ago(minutes - 5) : null,
            silencedBy: silences.filter(fits(labels)).map(({ id }) => id),
            heldBackBy: null,
            acknowledged: acknowledged.get(`f${at}`) ?? null,
          };
        }),
        receivers: [
          { name: 'dashboard', type: 'dashboard', target: null },
          { name: 'log', type: 'log', target: null },
          { name: 'ops', type: 'webhook', target: 'https://hooks.example.org' },
        ],
        rulesFile: null,
      }),
    alertEvents: async ({ range }) =>
      AlertEventsResponse.parse({
        range,
        events: [
          ['firing', 'resolved', 2, 173],
          ['inactive', 'firing', 2, 178],
        ].map(([from, to, at, minutes]) => {
          const [ruleId, , server, tool, session, value, threshold] = ALERTS[Number(at)] ?? ALERTS[0];
          const labels = { alertname: ruleId, server, tool, session_id: session };
          const sentence = SENTENCES[Number(at)];
          return {
            ruleId,
            fingerprint: `f${at}`,
            at: ago(Number(minutes)),
            from,
            to,
            value,
            threshold,
            labels,
            sentence,
          };
        }),
      }),
    alertDeliveries: async () =>
      AlertDeliveriesResponse.parse({
        deliveries: [
          ['ops', 'waiting', 'firing', 3, 503, 'the receiver is busy', 22, -1],
          ['log', 'delivered', 'firing', 1, null, '', 22, null],
          ['ops', 'failed', 'resolved', 5, 410, 'the receiver refused it', 170, null],
        ].map(([receiver, status, says, attempts, httpStatus, reason, minutes, next], at) => ({
          id: `d${at}`,
          receiver,
          status,
          says,
          attempts,
          httpStatus,
          reason,
          canRetry: status !== 'delivered',
          ruleId: 'suspected-loop',
          alerts: 1,
          sentence: SENTENCES[at === 2 ? 2 : 0],
          createdAt: ago(Number(minutes)),
          lastAttemptAt: ago(Number(minutes)),
          nextAttemptAt: next === null ? null : ago(Number(next)),
        })),
      }),
    silences: async () => SilencesResponse.parse({ silences: silences.map(show) }),
    acknowledgeAlert: async ({ fingerprint, author }) => {
      acknowledged.set(fingerprint, { author, comment: '', at: ago(0) });
    },
    addSilence: async ({ matchers, durationSeconds, comment, author = '' }) => {
      const silence: SilenceRow = {
        id: `s${silences.length}`,
        matchers,
        comment,
        author,
        createdAt: ago(0),
        expiresAt: new Date(now() + durationSeconds * 1_000).toISOString(),
        state: 'active',
      };
      silences.push(silence);
      return silence;
    },
    endSilence: async ({ id }) => {
      const at = silences.findIndex((silence) => silence.id === id);
      const silence = silences[at];
      if (!silence) throw new UserError('NOT_FOUND', `There is no silence "${id}".`);
      silences[at] = { ...silence, expiresAt: ago(0) };
    },
    ...createFixtureRules(now),
    retryDelivery: async ({ id }) => void retried.push(id),
    testAlert: async ({ receiver }) => {
      tested.push(receiver);
      return AlertTestResponse.parse(
        receiver === 'ops'
          ? { status: 'failed', httpStatus: 410, reason: 'HTTP 410 Gone' }
          : { status: 'delivered', httpStatus: null, reason: '' },
      );
    },
  };
}
