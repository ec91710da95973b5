// The fields of the form as text, and the entry of the rules file that they stand for. Fields of an entry that the
// form does not have are kept, and fields with their default value are left out.

import {
  type AlertRuleKind,
  LATENCY_METRICS,
  METRIC_LABELS,
  type MetricLabel,
  RATE_METRICS,
} from '../../../../src/contract/alert-rule-kinds.ts';
import type { EditableRule, RuleEntryText } from '../../../../src/contract/alert-rules.ts';

export interface RuleDraft {
  readonly id: string;
  readonly kind: AlertRuleKind;
  readonly enabled: boolean;
  /** Lists with commas, by label. */
  readonly match: Readonly<Record<MetricLabel, string>>;
  readonly metric: string;
  readonly op: string;
  /** A percentage for rates. */
  readonly threshold: string;
  readonly direction: string;
  readonly event: string;
  readonly window: string;
  readonly minCalls: string;
  readonly calls: string;
  readonly severity: string;
  readonly for: string;
  readonly keepFiringFor: string;
  readonly notify: readonly string[];
  /** Whether the entry names them: a storm without them notifies those of loops. */
  readonly isNotifyGiven: boolean;
  /** Fields of the entry that the form does not have. */
  readonly others: RuleEntryText;
}

const NO_MATCH = Object.fromEntries(METRIC_LABELS.map((label) => [label, ''])) as RuleDraft['match']; // every label

/** A rule about the error rate, which most rules are. */
export const NEW_RULE: RuleDraft = {
  id: '',
  kind: 'metric',
  enabled: true,
  match: NO_MATCH,
  metric: 'error_rate',
  op: '>',
  threshold: '5',
  direction: 'up',
  event: 'new_error_code',
  window: '',
  minCalls: '',
  calls: '30',
  severity: '',
  for: '',
  keepFiringFor: '',
  notify: ['dashboard', 'log'],
  isNotifyGiven: false,
  others: {},
};

const KIND_FIELDS: Readonly<Record<AlertRuleKind, readonly (keyof RuleDraft)[]>> = {
  metric: ['metric', 'op', 'threshold', 'window', 'minCalls', 'severity'],
  changed: ['metric', 'direction', 'window', 'minCalls', 'severity'],
  event: ['event', 'window', 'severity'],
  suspected_loop: ['severity'],
  session_over_calls: ['calls'],
  storm: [],
};

const KIND_LABELS: Readonly<Record<AlertRuleKind, readonly MetricLabel[]>> = {
  metric: METRIC_LABELS,
  changed: ['server', 'environment', 'tool', 'code'],
  event: ['server', 'environment', 'tool', 'code', 'client'],
  suspected_loop: ['server', 'environment', 'tool'],
  session_over_calls: ['server', 'environment', 'tool'],
  storm: ['server', 'environment', 'tool'],
};

/** Whether rules of this kind have the field. */
export function hasField(kind: AlertRuleKind, field: keyof RuleDraft): boolean {
  return KIND_FIELDS[kind].includes(field);
}

/** The labels by which rules of this kind can be narrowed. */
export function listLabels(kind: AlertRuleKind): readonly MetricLabel[] {
  return KIND_LABELS[kind];
}

export function isRateMetric(metric: string): boolean {
  return RATE_METRICS.some((name) => name === metric);
}

/** The draft with another metric; a threshold of another unit makes no sense for it. */
export function withMetric(draft: RuleDraft, metric: string): RuleDraft {
  const threshold =
    findUnit(metric) === findUnit(draft.metric) ? draft.threshold : DEFAULT_THRESHOLDS[findUnit(metric)];
  return { ...draft, metric, threshold };
}

const DEFAULT_THRESHOLDS = { '%': '5', ms: '1000', '': '100' } as const;

/** The unit of a threshold. */
export function findUnit(metric: string): keyof typeof DEFAULT_THRESHOLDS {
  if (isRateMetric(metric)) return '%';
  return LATENCY_METRICS.some((name) => name === metric) ? 'ms' : '';
}

const NUMBERS: readonly (keyof RuleDraft)[] = ['threshold', 'minCalls', 'calls'];
const SHARED_FIELDS = ['id', 'kind', 'enabled', 'match', 'for', 'keepFiringFor', 'notify'] as const;

/** The entry of the rules file. Text that is no number stays text, so that the service says what it expects. */
export function toEntry(draft: RuleDraft): RuleEntryText {
  const { id, kind, enabled, notify, others } = draft;
  const own = KIND_FIELDS[kind].flatMap((field) => toField(draft, field));
  const match = Object.fromEntries(
    KIND_LABELS[kind].flatMap((label) => {
      const names = splitList(draft.match[label]);
      return names.length > 0 ? [[label, names]] : [];
    }),
  );
  return {
    ...{ id, kind },
    ...(!enabled && { enabled }),
    ...Object.fromEntries(own),
    ...(Object.keys(match).length > 0 && { match }),
    ...Object.fromEntries((['for', 'keepFiringFor'] as const).flatMap((field) => toField(draft, field))),
    ...others,
    ...((draft.isNotifyGiven || notify.join() !== NEW_RULE.notify.join()) && { notify: [...notify] }),
  };
}

function toField(draft: RuleDraft, field: keyof RuleDraft): [string, unknown][] {
  const text = String(draft[field]).trim();
  if (text === '' || (field === 'op' && text === NEW_RULE.op)) return [];
  if (!NUMBERS.includes(field)) return [[field, text]];
  const value = Number(text);
  if (!Number.isFinite(value)) return [[field, text]];
  // 0.07 and not 0.07000000000000001.
  const share = Number((value / 100).toPrecision(12));
  return [[field, field === 'threshold' && isRateMetric(draft.metric) ? share : value]];
}

export function splitList(text: string): string[] {
  return text
    .split(',')
    .map((name) => name.trim())
    .filter((name) => name !== '');
}

export function toDraft({ kind, entry }: Pick<EditableRule, 'kind' | 'entry'>): RuleDraft {
  const text = (field: string, ifMissing = ''): string => String(entry[field] ?? ifMissing);
  const metric = text('metric', NEW_RULE.metric);
  const threshold = entry['threshold'];
  const known: readonly string[] = [...SHARED_FIELDS, ...KIND_FIELDS[kind]];
  return {
    ...NEW_RULE,
    ...{ id: text('id'), kind, metric, enabled: entry['enabled'] !== false, match: toMatch(entry['match']) },
    threshold:
      typeof threshold === 'number' && isRateMetric(metric)
        ? String(Number((threshold * 100).toPrecision(12)))
        : text('threshold', NEW_RULE.threshold),
    ...{ op: text('op', NEW_RULE.op), direction: text('direction', NEW_RULE.direction) },
    ...{ event: text('event', NEW_RULE.event), calls: text('calls', NEW_RULE.calls) },
    ...{ window: text('window'), minCalls: text('minCalls'), severity: text('severity') },
    ...{ for: text('for'), keepFiringFor: text('keepFiringFor') },
    notify: Array.isArray(entry['notify']) ? entry['notify'].map(String) : NEW_RULE.notify,
    isNotifyGiven: Array.isArray(entry['notify']),
    others: Object.fromEntries(Object.entries(entry).filter(([name]) => !known.includes(name))),
  };
}

function toMatch(given: unknown): RuleDraft['match'] {
  if (typeof given !== 'object' || given === null) return NO_MATCH;
  const lists = METRIC_LABELS.map((label) => {
    const names: unknown = Reflect.get(given, label);
    return [label, Array.isArray(names) ? names.join(', ') : ''];
  });
  return { ...NO_MATCH, ...Object.fromEntries(lists) };
}

const MAX_ID_LENGTH = 64;

/** An id of what the rule watches: `create-order-error-rate`. */
export function suggestId(draft: RuleDraft, taken: readonly string[]): string {
  const [place] = [...splitList(draft.match.tool), ...splitList(draft.match.server)];
  const subject = { metric: draft.metric, changed: `${draft.metric}-changed`, event: draft.event };
  const what = Object.entries(subject).find(([kind]) => kind === draft.kind)?.[1] ?? draft.kind;
  const id = [place, what]
    .filter((part) => part !== undefined)
    .join('-')
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, '-')
    .slice(0, MAX_ID_LENGTH - 4)
    .replaceAll(/^-|-$/g, '');
  return firstFree(id, taken);
}

/** @returns the name, or the first of `name-2`, `name-3` and so on that is not taken */
export function firstFree(name: string, taken: readonly string[]): string {
  let free = name;
  for (let at = 2; taken.includes(free); at += 1) free = `${name}-${at}`;
  return free;
}
