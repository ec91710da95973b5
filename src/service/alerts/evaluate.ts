// The states of alerts, as a pure function: the book as it was, what is known, the time; out come the book as it is, the
// changes for the history and the messages for receivers. No clock and no I/O, so a crash between two evaluations is
// nothing but an evaluation that comes later.

import type { Alert, AlertBook, AlertEvent, AlertMessage, Reading } from './alert.ts';
import { composeMessages } from './compose-messages.ts';
import { type Facts, foldedBy, readingsOf, unfold } from './readings.ts';
import type { AlertRule } from './rule.ts';
import type { Silence } from './silence.ts';

export interface Inputs extends Facts {
  readonly rules: readonly AlertRule[];
  readonly silences: readonly Silence[];
}

export interface Evaluation {
  readonly book: AlertBook;
  readonly events: readonly AlertEvent[];
  readonly messages: readonly AlertMessage[];
}

/** A resolved alert stays visible this long: for whoever comes back from lunch, and to know a loop that starts again. */
const KEEP_RESOLVED_MS = 15 * 60_000;

/**
 * Takes the alerts one step on.
 *
 * @param book what the last evaluation returned
 * @param inputs rules, silences, and what is known right now
 * @param nowMs epoch milliseconds; may be any time later than the last
 */
export function evaluate(book: AlertBook, inputs: Inputs, nowMs: number): Evaluation {
  const rules = new Map(inputs.rules.filter(({ enabled }) => enabled).map((rule) => [rule.id, rule]));
  const facts = { ...inputs, loops: unfold(inputs.loops, inputs.rules) };
  const kept = book.alerts.filter((alert) => !isForgotten(alert, nowMs));
  const known = new Map(kept.map((alert) => [alert.fingerprint, alert]));
  const stepped = kept
    .filter(({ ruleId }) => !rules.has(ruleId))
    .map((alert) => stepAbsent(alert, { keepFiringForMs: 0, nowMs }));
  for (const rule of rules.values()) {
    const readings = readingsOf(rule, facts, nowMs);
    const mine = kept.filter(({ ruleId }) => ruleId === rule.id);
    if (!readings) stepped.push(...mine);
    else stepped.push(...stepRule(rule, { mine, readings, folded: foldedBy(rule, facts), nowMs }));
  }
  const events = stepped.flatMap((alert) => toEvents(known.get(alert?.fingerprint ?? ''), alert, nowMs));
  const present = new Set(stepped.map((alert) => alert?.fingerprint));
  const gone = kept.filter(({ fingerprint }) => !present.has(fingerprint));
  const alerts = stepped.filter((alert) => alert !== undefined);
  const dropped = gone.flatMap((alert) => toEvents(alert, undefined, nowMs));
  return {
    ...composeMessages({ alerts, groups: book.groups }, inputs, nowMs),
    events: [...dropped, ...events],
  };
}

function isForgotten({ state, resolvedMs, told }: Alert, nowMs: number): boolean {
  return state === 'resolved' && told !== 'firing' && nowMs - (resolvedMs ?? 0) >= KEEP_RESOLVED_MS;
}

interface RuleStep {
  readonly mine: readonly Alert[];
  readonly readings: ReadonlyMap<string, Reading>;
  /** Alerts that something greater speaks for now. */
  readonly folded: ReadonlySet<string>;
  readonly nowMs: number;
}

function stepRule(rule: AlertRule, { mine, readings, folded, nowMs }: RuleStep): (Alert | undefined)[] {
  const { keepFiringForMs } = rule;
  const known = new Set(mine.map(({ fingerprint }) => fingerprint));
  const before = mine.map((alert) => {
    const reading = readings.get(alert.fingerprint);
    if (reading) return stepPresent(alert, { reading, rule, nowMs });
    return folded.has(alert.fingerprint)
      ? stepFolded(alert, nowMs)
      : stepAbsent(alert, { keepFiringForMs, nowMs });
  });
  const fresh = [...readings.values()].filter(({ fingerprint }) => !known.has(fingerprint));
  return [...before, ...fresh.map((reading) => begin(reading, rule, nowMs))];
}

interface Present {
  readonly reading: Reading;
  readonly rule: AlertRule;
  readonly nowMs: number;
}

function stepPresent(alert: Alert, { reading, rule, nowMs }: Present): Alert {
  if (alert.state === 'resolved') return beginAgain(alert, begin(reading, rule, nowMs));
  const seen: Alert = { ...alert, evidence: reading.evidence, seenMs: nowMs };
  // A clock that was set back says nothing of how long it lasts: rather too early than hours late.
  const lastsMs = nowMs < alert.activeMs ? rule.forMs : nowMs - alert.activeMs;
  if (alert.state === 'firing' || lastsMs < rule.forMs) return seen;
  const fired: Alert = { ...seen, state: 'firing', firedMs: nowMs };
  return alert.told === 'firing' ? fired : { ...fired, ...toLabels(reading, rule) };
}

/** Who has not heard of the end believes that it goes on: under the old labels, and without a second beginning. */
function beginAgain({ told, labels, groupLabels }: Alert, again: Alert): Alert {
  return told === 'firing' ? { ...again, told, labels, groupLabels } : again;
}

function begin(reading: Reading, rule: AlertRule, nowMs: number): Alert {
  const fires = rule.forMs === 0;
  return {
    fingerprint: reading.fingerprint,
    ...toLabels(reading, rule),
    evidence: reading.evidence,
    ruleId: rule.id,
    state: fires ? 'firing' : 'pending',
    activeMs: nowMs,
    firedMs: fires ? nowMs : null,
    seenMs: nowMs,
    resolvedMs: null,
    told: 'nothing',
  };
}

function toLabels({ labels }: Reading, { groupBy }: AlertRule): Pick<Alert, 'labels' | 'groupLabels'> {
  const names = ['alertname', ...groupBy].filter((name) => labels[name] !== undefined);
  return { labels, groupLabels: Object.fromEntries(names.map((name) => [name, labels[name] ?? ''])) };
}

function stepAbsent(
  alert: Alert,
  { keepFiringForMs, nowMs }: { readonly keepFiringForMs: number; readonly nowMs: number },
): Alert | undefined {
  if (alert.state === 'resolved') return alert;
  if (alert.state === 'firing') {
    return nowMs - alert.seenMs < keepFiringForMs
      ? alert
      : { ...alert, state: 'resolved', resolvedMs: nowMs };
  }
  // One that came back while its receivers believed it firing and went again: the end is still owed to them.
  return alert.told === 'firing' ? { ...alert, state: 'resolved', resolvedMs: nowMs } : undefined;
}

/** It ends at once and in silence: the message of what it is a part of says all. */
function stepFolded(alert: Alert, nowMs: number): Alert | undefined {
  if (alert.state === 'resolved')
    return { ...alert, told: alert.told === 'firing' ? 'resolved' : alert.told };
  if (alert.state === 'pending' && alert.told === 'nothing') return undefined;
  return { ...alert, state: 'resolved', resolvedMs: nowMs, told: 'resolved' };
}

function toEvents(before: Alert | undefined, after: Alert | undefined, nowMs: number): AlertEvent[] {
  const alert = after ?? before;
  if (!alert || before?.state === after?.state) return [];
  const { ruleId, fingerprint, activeMs, labels, evidence } = alert;
  const { value, threshold, sentence } = evidence;
  return [
    {
      ruleId,
      fingerprint,
      atMs: nowMs,
      activeMs,
      from: before?.state ?? 'inactive',
      to: after?.state ?? 'inactive',
      value,
      threshold,
      labels,
      sentence,
    },
  ];
}
