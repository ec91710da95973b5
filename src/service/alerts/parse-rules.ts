// Parses the rules file into rules and receivers, or rejects it naming the rule, the field, the given value
// and the allowed ones. An entry with the id of a built-in rule overrides it; other built-in rules stay in
// effect.

import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';
import { UserError } from '../../errors.ts';
import { type AlertRule, DEFAULT_RULES, RULE_ENTRIES, RuleEntry, RuleMatch, toRule } from './alert-rule.ts';
import { DigestEntry, type DigestSchedule } from './digest/digest-schedule.ts';
import { MetricMatch } from './metrics/metric-rule.ts';
import { type Environment, parseReceiver } from './receivers/parse-receiver.ts';
import { BUILT_IN_RECEIVERS, type Receiver } from './receivers/receiver.ts';
import { listReceiverFields, ReceiverEntry } from './receivers/receiver-entry.ts';
import { NO_ROUTING, type Routing } from './routing/routing.ts';
import { listRoutingFields, parseRouting, ROUTING_FIELDS } from './routing/routing-entry.ts';
import { parseRulesDocument } from './rules-document.ts';
import { textSchema } from './text-schema.ts';

export interface AlertConfig {
  readonly rules: readonly AlertRule[];
  readonly receivers: readonly Receiver[];
  /** Allowed private addresses, each as `host:port`. */
  readonly allowPrivateTargets: readonly string[];
  /** Address of the dashboard without a trailing slash; undefined: the address the service listens on. */
  readonly externalUrl: string | undefined;
  readonly routing: Routing;
  readonly digests: readonly DigestSchedule[];
}

export interface LoadedAlertConfig extends AlertConfig {
  /** Path of the rules file; null if there is none. */
  readonly path: string | null;
}

const EXTERNAL_URL_FORMAT = 'an http or https URL without a query';
const TARGETS_FORMAT = 'a list of host:port, such as "127.0.0.1:9999"';
const RulesFileEntry = z.strictObject({
  externalUrl: z
    .string({ error: EXTERNAL_URL_FORMAT })
    .refine((text) => URL.canParse(text) && /^https?:\/\/[^?#]+$/.test(text), { error: EXTERNAL_URL_FORMAT })
    .transform((text) => text.replace(/\/+$/, ''))
    .optional(),
  allowPrivateTargets: z
    .array(textSchema(/^(?:\[[0-9a-f:.]+\]|[a-z0-9._-]+):\d{1,5}$/i, TARGETS_FORMAT), {
      error: TARGETS_FORMAT,
    })
    .default([]),
  receivers: z.record(z.string(), ReceiverEntry, { error: 'an object of receivers by name' }).default({}),
  rules: z.array(z.unknown(), { error: 'a list of rules' }).default([]),
  digests: z.record(z.string(), DigestEntry, { error: 'an object of digests by name' }).default({}),
  ...ROUTING_FIELDS,
});

/** The configuration without a rules file. */
export const DEFAULT_ALERT_CONFIG: AlertConfig = {
  rules: DEFAULT_RULES,
  receivers: BUILT_IN_RECEIVERS,
  allowPrivateTargets: [],
  externalUrl: undefined,
  routing: NO_ROUTING,
  digests: [],
};

export interface RulesLocation {
  /** Path of a file that must exist, if configured. Otherwise `alerts.yaml` or `alerts.json` in the data directory, if it exists. */
  readonly explicitPath: string | undefined;
  readonly dataDirectory: string;
  readonly environment: Environment;
}

interface RulesFile {
  readonly path: string;
  readonly text: string;
}

const DEFAULT_NAMES = ['alerts.yaml', 'alerts.json'] as const;

/**
 * @returns undefined if no file is configured and there is none in the data directory
 * @throws UserError INVALID_SETTING
 */
export function readRulesFile({ explicitPath, dataDirectory }: RulesLocation): RulesFile | undefined {
  if (explicitPath !== undefined) return { path: explicitPath, text: readText(explicitPath) };
  const found = DEFAULT_NAMES.map((name) => join(dataDirectory, name)).filter((path) => existsSync(path));
  const [path] = found;
  if (path === undefined) return undefined;
  if (found.length > 1) {
    throw createSettingError(`${found.join(' and ')} both exist. Expected one of them.`, 'alertsFile');
  }
  return { path, text: readText(path) };
}

function readText(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch (cause) {
    const message = `${path} cannot be read. Expected a readable file of alert rules.`;
    throw createSettingError(message, 'alertsFile', cause);
  }
}

interface RulesFileText {
  /** For error messages. */
  readonly path: string;
  readonly text: string;
  /** Where a receiver's `urlEnv` and `tokenEnv` are looked up. */
  readonly environment: Environment;
}

/** @throws UserError INVALID_SETTING, with line and column */
export function parseRules({ path, text, environment }: RulesFileText): AlertConfig {
  const { value: raw, locate } = parseRulesDocument(path, text);
  const at = (...parts: readonly PropertyKey[]): string => `${path}${locate(parts)}`;
  const file = RulesFileEntry.safeParse(raw);
  if (!file.success) {
    const [issue] = file.error.issues;
    throw createValueError(`${at(...(issue?.path ?? []))}:`, { value: raw, issue });
  }
  const { receivers: entries, rules: given, allowPrivateTargets, externalUrl } = file.data;
  const receivers = [
    ...BUILT_IN_RECEIVERS,
    ...Object.entries(entries).map(([name, entry]) =>
      parseReceiver({ name, entry, environment, path: at('receivers', name) }),
    ),
  ];
  const findPlace = createPlaceFinder(given, at);
  const parsed = withDefaults(given).map((entry) => parseRule(findPlace, entry));
  const rules = given.some((entry) => readId(entry) === STORM_RULE_ID)
    ? parsed
    : notifyStormsLikeLoops(parsed);
  for (const rule of parsed) rejectUnknownReceivers(findPlace, rule, receivers);
  rejectDuplicateIds(findPlace, rules);
  const names = receivers.map(({ name }) => name);
  const routing = parseRouting(file.data, { at: (route) => at('routes', route), receivers: names });
  const digests = Object.entries(file.data.digests).map(([name, entry]) => ({ ...entry, name }));
  for (const { name, notify } of digests) {
    const where = `${at('digests', name, 'notify')}: digest ${JSON.stringify(name)}`;
    // The dashboard is not sent to: its overview says the same.
    rejectUnknownNames(
      where,
      notify,
      receivers.filter(({ type }) => type !== 'dashboard'),
    );
  }
  return { rules, receivers, allowPrivateTargets, externalUrl, routing, digests };
}

/** @returns where a rule of the file, or a part of it, is */
type FindPlace = (id: string, path?: readonly PropertyKey[]) => string;

/** Of rules with the same id, the last one. */
function createPlaceFinder(
  given: readonly unknown[],
  at: (...parts: readonly PropertyKey[]) => string,
): FindPlace {
  return (id, path = []) =>
    at(
      'rules',
      given.findLastIndex((entry) => readId(entry) === id),
      ...path,
    );
}

const STORM_RULE_ID = 'storm';

/** A storm represents its loops, so receivers of loops are notified of storms unless the file configures storms. */
function notifyStormsLikeLoops(rules: readonly AlertRule[]): readonly AlertRule[] {
  const loops = rules.find(({ id }) => id === 'suspected-loop');
  return rules.map((rule) => (rule.id === STORM_RULE_ID && loops ? { ...rule, notify: loops.notify } : rule));
}

/** Built-in rules that the file does not change, then the file's rules; a changed built-in rule keeps its kind. */
function withDefaults(given: readonly unknown[]): readonly unknown[] {
  const changed = new Set(given.map(readId));
  const kinds = new Map(DEFAULT_RULES.map(({ id, kind }) => [id, kind]));
  return [
    ...DEFAULT_RULES.filter(({ id }) => !changed.has(id)).map(({ id, kind }) => ({ id, kind })),
    ...given.map((entry) => {
      const kind = kinds.get(readId(entry));
      return kind !== undefined && isObject(entry) ? { kind, ...entry } : entry;
    }),
  ];
}

function parseRule(findPlace: FindPlace, raw: unknown): AlertRule {
  const parsed = RuleEntry.safeParse(raw);
  if (parsed.success) return toRule(parsed.data);
  const id = readId(raw);
  const [issue] = parsed.error.issues;
  throw createValueError(`${findPlace(id, issue?.path)}: rule ${JSON.stringify(id)},`, { value: raw, issue });
}

function rejectUnknownReceivers(
  findPlace: FindPlace,
  { id: rule, notify }: AlertRule,
  receivers: readonly Receiver[],
): void {
  rejectUnknownNames(`${findPlace(rule, ['notify'])}: rule "${rule}"`, notify, receivers);
}

function rejectUnknownNames(where: string, notify: readonly string[], receivers: readonly Receiver[]): void {
  const known = receivers.map(({ name }) => name);
  const unknown = notify.find((name) => !known.includes(name));
  if (unknown === undefined) return;
  const problem = `${where}, field "notify" names ${JSON.stringify(unknown)}.`;
  throw createSettingError(`${problem} Expected one of ${known.join(', ')}.`, 'notify');
}

function rejectDuplicateIds(findPlace: FindPlace, rules: readonly AlertRule[]): void {
  const ids = rules.map((rule) => rule.id);
  const double = ids.find((rule, at) => ids.indexOf(rule) !== at);
  if (double !== undefined) {
    const problem = `${findPlace(double)}: rule "${double}" is defined twice.`;
    throw createSettingError(`${problem} Expected each id once.`, 'id');
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
  const expected = field === '' ? 'one object' : (issue?.message ?? '');
  return createSettingError(
    `${where} ${what} is ${describeValue(path, value)}. Expected ${expected}.`,
    field || 'alerts',
  );
}

/** Addresses and tokens of receivers are never repeated. */
function describeValue(path: readonly PropertyKey[], value: unknown): string {
  if (path[0] === 'receivers') return 'not allowed';
  const given = readPath(path, value);
  return given === undefined ? 'missing' : JSON.stringify(given).slice(0, 100);
}

function readPath(path: readonly PropertyKey[], value: unknown): unknown {
  return path.reduce<unknown>(
    (inner, part) => (isObject(inner) ? Reflect.get(inner, part) : undefined),
    value,
  );
}

const isWindowKind = (value: unknown): boolean =>
  isObject(value) && ['metric', 'changed', 'event'].includes(String(Reflect.get(value, 'kind')));

function listAllowedNames(path: readonly PropertyKey[], value: unknown): readonly string[] {
  if (path[0] === 'receivers') return listReceiverFields(readPath(path, value));
  if (path[0] === 'digests') return Object.keys(DigestEntry.shape);
  const routingFields = listRoutingFields(path[0]);
  if (routingFields) return routingFields;
  if (path[0] === 'match') return Object.keys(isWindowKind(value) ? MetricMatch.shape : RuleMatch.shape);
  const kind = isObject(value) ? Reflect.get(value, 'kind') : undefined;
  const entry = Object.entries(RULE_ENTRIES).find(([name]) => name === kind)?.[1] ?? RulesFileEntry;
  return Object.keys(entry.shape);
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
