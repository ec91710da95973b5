// Parses a rules file into rules and receivers, or rejects it naming the rule, the field, the given value and
// the allowed ones. An entry with the id of a built-in rule overrides it; other built-in rules stay in
// effect.

import { z } from 'zod';
import { ALERT_LABELS } from '../../contract/alerts.ts';
import { UserError } from '../../errors.ts';
import { type AlertRule, DEFAULT_RULES } from './alert-rule.ts';
import { parseReceiver, ReceiverEntry } from './parse-receiver.ts';
import { BUILT_IN_RECEIVERS, type Receiver } from './receiver.ts';

export interface AlertConfig {
  readonly rules: readonly AlertRule[];
  readonly receivers: readonly Receiver[];
  /** `host:port` each; may be private addresses. */
  readonly allowPrivateTargets: readonly string[];
  /** Where people reach the dashboard, without a closing slash; undefined: where the service listens. */
  readonly externalUrl: string | undefined;
}

type Environment = Readonly<Record<string, string | undefined>>;

const UNIT_MS: Readonly<Record<string, number>> = { s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000 };
const DURATION_FORMAT = 'a duration such as 0s, 90s, 5m, 2h or 1d';

const duration = z
  .string({ error: DURATION_FORMAT })
  .regex(/^\d{1,5}[smhd]$/, { error: DURATION_FORMAT })
  .transform((text) => Number(text.slice(0, -1)) * (UNIT_MS[text.slice(-1)] ?? 0));
const nameList = (what: string, maxNames = 50) =>
  z
    .array(z.string({ error: what }).min(1, { error: what }).max(256, { error: what }), { error: what })
    .max(maxNames, { error: what });
const ID_FORMAT = 'text of 1 to 64 of a-z, 0-9 and -';
const id = z.string({ error: ID_FORMAT }).regex(/^[a-z0-9-]{1,64}$/, { error: ID_FORMAT });
const LABEL_FORMAT = `a list of labels, each one of ${ALERT_LABELS.join(', ')}`;
const MATCH_FORMAT = 'an object of the lists server, environment and tool';

const RULE_FIELDS = {
  id,
  enabled: z.boolean({ error: 'true or false' }).default(true),
  match: z
    .strictObject(
      {
        server: nameList('a list of names').default([]),
        environment: nameList('a list of names').default([]),
        tool: nameList('a list of names').default([]),
      },
      { error: MATCH_FORMAT },
    )
    .default({ server: [], environment: [], tool: [] }),
  for: duration.default(0),
  keepFiringFor: duration.default(DEFAULT_RULES[0].keepFiringForMs),
  groupBy: z.array(z.enum(ALERT_LABELS, { error: LABEL_FORMAT }), { error: LABEL_FORMAT }).optional(),
  groupInterval: duration.default(DEFAULT_RULES[0].groupIntervalMs),
  notify: nameList('a list of receivers').default([...DEFAULT_RULES[0].notify]),
};
const SEVERITY_FORMAT = 'one of suspected, confirmed';
const CALLS_FORMAT = 'a whole number from 1 to 1000000';

const SuspectedLoopEntry = z.strictObject({
  ...RULE_FIELDS,
  kind: z.literal('suspected_loop'),
  severity: z.enum(['suspected', 'confirmed'], { error: SEVERITY_FORMAT }).default('suspected'),
});
const SessionOverCallsEntry = z.strictObject({
  ...RULE_FIELDS,
  kind: z.literal('session_over_calls'),
  calls: z
    .int({ error: CALLS_FORMAT })
    .min(1, { error: CALLS_FORMAT })
    .max(1_000_000, { error: CALLS_FORMAT })
    .default(30),
});
const StormEntry = z.strictObject({ ...RULE_FIELDS, kind: z.literal('storm') });
const RuleEntry = z.discriminatedUnion('kind', [SuspectedLoopEntry, SessionOverCallsEntry, StormEntry], {
  error: 'one of suspected_loop, session_over_calls, storm',
});
type RuleEntry = z.infer<typeof RuleEntry>;

const EXTERNAL_URL_FORMAT = 'an http or https URL without a query';
const TARGETS_FORMAT = 'a list of host:port, such as "127.0.0.1:9999"';
const RulesFile = z.strictObject({
  externalUrl: z
    .string({ error: EXTERNAL_URL_FORMAT })
    .refine((text) => URL.canParse(text) && /^https?:\/\/[^?#]+$/.test(text), { error: EXTERNAL_URL_FORMAT })
    .transform((text) => text.replace(/\/+$/, ''))
    .optional(),
  allowPrivateTargets: z
    .array(
      z
        .string({ error: TARGETS_FORMAT })
        .regex(/^(?:\[[0-9a-f:.]+\]|[a-z0-9._-]+):\d{1,5}$/i, { error: TARGETS_FORMAT }),
      { error: TARGETS_FORMAT },
    )
    .default([]),
  receivers: z.record(z.string(), ReceiverEntry, { error: 'an object of receivers by name' }).default({}),
  rules: z.array(z.unknown(), { error: 'a list of rules' }).default([]),
});

export interface RulesFileText {
  /** For messages. */
  readonly path: string;
  readonly text: string;
  /** Where a receiver's `urlEnv` and `tokenEnv` are looked up. */
  readonly environment: Environment;
}

/** What holds without a file. */
export const DEFAULT_ALERT_CONFIG: AlertConfig = {
  rules: DEFAULT_RULES,
  receivers: BUILT_IN_RECEIVERS,
  allowPrivateTargets: [],
  externalUrl: undefined,
};

/** @throws UserError INVALID_SETTING */
export function parseRules({ path, text, environment }: RulesFileText): AlertConfig {
  const raw = parseJson(path, text);
  const file = RulesFile.safeParse(raw);
  if (!file.success) throw createValueError(`${path}:`, { value: raw, issue: file.error.issues[0] });
  const { receivers: entries, rules: given, allowPrivateTargets, externalUrl } = file.data;
  const receivers = [
    ...BUILT_IN_RECEIVERS,
    ...Object.entries(entries).map(([name, entry]) => parseReceiver({ name, entry, environment, path })),
  ];
  const parsed = withDefaults(given).map((entry) => parseRule(path, entry));
  const rules = given.some((entry) => readId(entry) === STORM_RULE_ID)
    ? parsed
    : notifyStormsLikeLoops(parsed);
  for (const rule of parsed) rejectUnknownReceivers(path, rule, receivers);
  rejectDuplicateIds(path, rules);
  return { rules, receivers, allowPrivateTargets, externalUrl };
}

const STORM_RULE_ID = 'storm';

/**
 * A storm represents its loops, so receivers of loops are notified of storms unless the file says otherwise.
 */
function notifyStormsLikeLoops(rules: readonly AlertRule[]): readonly AlertRule[] {
  const loops = rules.find(({ id: name }) => name === DEFAULT_RULES[0].id);
  return rules.map((rule) => (rule.id === STORM_RULE_ID && loops ? { ...rule, notify: loops.notify } : rule));
}

function parseJson(path: string, text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (cause) {
    // The parser's own message may repeat the text, and the text may hold a secret.
    throw createSettingError(`${path} is not JSON. Expected one JSON object.`, 'alerts', cause);
  }
}

/** Built-in rules that nobody changed, then the file's in their order; one that changes a built-in takes its kind. */
function withDefaults(given: readonly unknown[]): readonly unknown[] {
  const changed = new Set(given.map(readId));
  const kinds = new Map<string, string>(DEFAULT_RULES.map(({ id: name, kind }) => [name, kind]));
  const untouched = DEFAULT_RULES.filter((rule) => !changed.has(rule.id));
  return [
    ...untouched.map(({ id: name, kind }) => ({ id: name, kind })),
    ...given.map((entry) => {
      const kind = kinds.get(readId(entry));
      return kind !== undefined && isObject(entry) ? { kind, ...entry } : entry;
    }),
  ];
}

function parseRule(path: string, raw: unknown): AlertRule {
  const parsed = RuleEntry.safeParse(raw);
  if (parsed.success) return toRule(parsed.data);
  throw createValueError(`${path}: rule ${JSON.stringify(readId(raw))},`, {
    value: raw,
    issue: parsed.error.issues[0],
  });
}

function toRule(entry: RuleEntry): AlertRule {
  const { for: forMs, keepFiringFor: keepFiringForMs, groupInterval: groupIntervalMs, ...rest } = entry;
  const common = { forMs, keepFiringForMs, groupIntervalMs };
  const preset = DEFAULT_RULES.find(({ kind }) => kind === entry.kind);
  return { ...rest, ...common, groupBy: entry.groupBy ?? preset?.groupBy ?? [] };
}

function rejectUnknownReceivers(
  path: string,
  { id: rule, notify }: AlertRule,
  receivers: readonly Receiver[],
): void {
  const known = receivers.map(({ name }) => name);
  const unknown = notify.find((name) => !known.includes(name));
  if (unknown === undefined) return;
  throw createSettingError(
    `${path}: rule "${rule}", field "notify" names ${JSON.stringify(unknown)}. Expected one of ${known.join(', ')}.`,
    'notify',
  );
}

function rejectDuplicateIds(path: string, rules: readonly AlertRule[]): void {
  const ids = rules.map((rule) => rule.id);
  const double = ids.find((rule, at) => ids.indexOf(rule) !== at);
  if (double !== undefined) {
    throw createSettingError(`${path}: rule "${double}" stands there twice. Expected each id once.`, 'id');
  }
}

interface InvalidValue {
  readonly value: unknown;
  readonly issue: z.core.$ZodIssue | undefined;
}

function createValueError(where: string, { value, issue }: InvalidValue): UserError {
  const path = issue?.path ?? [];
  const field = path.filter((part) => typeof part === 'string').join('.');
  if (issue?.code === 'unrecognized_keys') {
    const name = [...path, issue.keys[0] ?? ''].join('.');
    const allowed = listAllowedNames(path, value).join(', ');
    return createSettingError(
      `${where} field ${JSON.stringify(name)} is unknown. Expected one of ${allowed}.`,
      name,
    );
  }
  const what = field === '' ? 'the file' : `field ${JSON.stringify(field)}`;
  const expected = field === '' ? 'one JSON object' : (issue?.message ?? '');
  return createSettingError(
    `${where} ${what} is ${describeValue(path, value)}. Expected ${expected}.`,
    field || 'alerts',
  );
}

/** Addresses and tokens of receivers are never repeated. */
function describeValue(path: readonly PropertyKey[], value: unknown): string {
  if (path[0] === 'receivers') return 'not allowed';
  const given = path.reduce<unknown>(
    (inner, part) => (isObject(inner) ? Reflect.get(inner, part) : undefined),
    value,
  );
  return given === undefined ? 'missing' : JSON.stringify(given).slice(0, 100);
}

function listAllowedNames(path: readonly PropertyKey[], value: unknown): readonly string[] {
  if (path[0] === 'receivers') return Object.keys(ReceiverEntry.shape);
  if (path[0] === 'match') return ['server', 'environment', 'tool'];
  const kind = isObject(value) ? Reflect.get(value, 'kind') : undefined;
  if (kind === 'suspected_loop') return Object.keys(SuspectedLoopEntry.shape);
  if (kind === 'session_over_calls') return Object.keys(SessionOverCallsEntry.shape);
  if (kind === 'storm') return Object.keys(StormEntry.shape);
  return Object.keys(RulesFile.shape);
}

function createSettingError(message: string, field: string, cause?: unknown): UserError {
  return new UserError('INVALID_SETTING', message, { field, ...(cause !== undefined && { cause }) });
}

function readId(entry: unknown): string {
  const value = isObject(entry) ? Reflect.get(entry, 'id') : undefined;
  return typeof value === 'string' ? value : '';
}

function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null;
}
