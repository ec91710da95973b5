// Changes single rules and receivers in the text of a rules file. Everything else keeps its value, its order and
// its comments; only spaces within a line may change. Pure.

import { isDeepStrictEqual } from 'node:util';
import { Document, isCollection, isMap, isSeq, type Node, parseDocument, visit, type YAMLMap } from 'yaml';
import { UserError } from '../../../errors.ts';
import { parseRulesDocument } from '../rules-document.ts';

type Fields = Readonly<Record<string, unknown>>;

export interface RulesFileText {
  /** Its ending decides between YAML and JSON. */
  readonly path: string;
  readonly text: string;
}

export interface RulesTextChange {
  /** Id of the rule that is replaced or removed; undefined to add one. */
  readonly replaces?: string | undefined;
  /** The rule to write; undefined to remove one. */
  readonly rule?: Fields | undefined;
  /** Receivers to add, by name. */
  readonly receivers?: Readonly<Record<string, Fields>>;
}

/**
 * @returns the text with the change
 * @throws UserError INVALID_SETTING if the text cannot be parsed, or has its rules in a form that cannot be changed
 */
export function changeRulesText(file: RulesFileText, change: RulesTextChange): string {
  const before = readFields(file);
  const after = changeFields(before, change);
  const text = file.path.endsWith('.json')
    ? `${JSON.stringify(after, null, 2)}\n`
    : changeYaml(file.text, change);
  // Aliases and merged parts can make one place in the text mean several values.
  if (isDeepStrictEqual(readFields({ path: file.path, text }), after)) return text;
  throw createFormError(file.path);
}

/** @returns the entry of a rule in the file; undefined if there is none */
export function findRuleFields(file: RulesFileText, id: string): Fields | undefined {
  return listRuleFields(file).find((rule) => rule['id'] === id);
}

/** @returns the entries of all rules in the file that are objects */
export function listRuleFields(file: RulesFileText): readonly Fields[] {
  const { rules } = readFields(file);
  return Array.isArray(rules) ? rules.filter(isFields) : [];
}

/** Part of a rules file, as YAML. */
export function formatRulesText({ rule, receivers = {} }: Omit<RulesTextChange, 'replaces'>): string {
  const document = new Document({});
  for (const [name, entry] of Object.entries(receivers)) addReceiver(document, name, entry);
  if (rule) document.set('rules', createNode(document, [rule], 2));
  return toText(document, '');
}

function isFields(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function readFields({ path, text }: RulesFileText): Fields {
  const { value } = parseRulesDocument(path, text);
  if (isFields(value)) return value;
  throw createFormError(path);
}

function createFormError(path: string): UserError {
  const message = `${path} is written in a way that the dashboard cannot change. Change it in an editor.`;
  return new UserError('INVALID_SETTING', message, { field: 'rules' });
}

function changeFields(fields: Fields, { replaces, rule, receivers = {} }: RulesTextChange): Fields {
  const rules: unknown[] = Array.isArray(fields['rules']) ? fields['rules'] : [];
  const at = replaces === undefined ? -1 : findLastRule(rules, replaces);
  const written = rule ? [rule] : [];
  const changed = at === -1 ? [...rules, ...written] : rules.toSpliced(at, 1, ...written);
  const known = isFields(fields['receivers']) ? fields['receivers'] : {};
  const hasReceivers = Object.keys(receivers).length > 0;
  return {
    ...fields,
    ...(hasReceivers && { receivers: { ...known, ...receivers } }),
    ...((rule !== undefined || at !== -1) && { rules: changed }),
  };
}

/** The last one counts where an id is there twice. */
function findLastRule(rules: readonly unknown[], id: string): number {
  return rules.findLastIndex((rule) => isFields(rule) && rule['id'] === id);
}

function changeYaml(text: string, { replaces, rule, receivers = {} }: RulesTextChange): string {
  const document: Document = parseDocument(text);
  // An empty file, and `{}`, which would keep everything on one line.
  if (!isMap(document.contents) || document.contents.items.length === 0)
    document.contents = document.createNode({});
  for (const [name, entry] of Object.entries(receivers)) addReceiver(document, name, entry);
  const at = findRuleNode(document, replaces);
  if (rule) writeRule(document, rule, at);
  else if (at !== -1) document.deleteIn(['rules', at]);
  return toText(document, text);
}

function findRuleNode(document: Document, id: string | undefined): number {
  const rules = document.get('rules', true);
  if (id === undefined || !isSeq(rules)) return -1;
  return rules.items.findLastIndex((item) => isMap(item) && item.get('id') === id);
}

function writeRule(document: Document, rule: Fields, at: number): void {
  const rules = document.get('rules', true);
  const existing = isSeq(rules) ? rules.items[at] : undefined;
  if (isMap(existing)) assignFields(document, existing, rule);
  else if (isSeq(rules) && rules.items.length > 0) rules.add(createNode(document, rule, 1));
  else document.set('rules', createNode(document, [rule], 2));
}

function addReceiver(document: Document, name: string, entry: Fields): void {
  const receivers = document.get('receivers', true);
  if (isMap(receivers) && receivers.items.length > 0)
    receivers.set(document.createNode(name), createNode(document, entry, 1));
  else document.set('receivers', createNode(document, { [name]: entry }, 2));
}

/** Touches only what differs, so that the comments of the other fields stay. */
function assignFields(document: Document, map: YAMLMap, fields: Fields): void {
  const present: unknown = map.toJS(document);
  const known = isFields(present) ? present : {};
  for (const name of Object.keys(known)) if (!(name in fields)) map.delete(name);
  for (const [name, value] of Object.entries(fields))
    if (!isDeepStrictEqual(known[name], value)) assignField(document, map, [name, value]);
}

function assignField(document: Document, map: YAMLMap, [name, value]: readonly [string, unknown]): void {
  const old = map.get(name, true);
  if (isMap(old) && isFields(value)) assignFields(document, old, value);
  else if (typeof value !== 'object') map.set(name, value);
  else map.set(name, createNode(document, value, isCollection(old) && old.flow !== true ? 1 : 0));
}

/** @param blockDepth how many levels of collections have lines of their own; deeper ones stay on a line */
function createNode(document: Document, value: unknown, blockDepth: number): Node {
  const node = document.createNode(value);
  visit(node, {
    Collection(_key, collection, path) {
      if (path.filter(isCollection).length >= blockDepth) collection.flow = true;
    },
  });
  return node;
}

/** Lines that differ from those of the text only in their spaces are taken from it. */
function toText(document: Document, text: string): string {
  const indent = /^( +)[^\s#]/m.exec(text)?.[1]?.length ?? 2;
  const known = new Map(text.split('\n').map((line) => [withoutInnerSpaces(line), line]));
  const written = document.toString({ lineWidth: 0, indent: Math.min(indent, 8) });
  return written
    .split('\n')
    .map((line) => known.get(withoutInnerSpaces(line)) ?? withoutListPadding(line))
    .join('\n');
}

function withoutInnerSpaces(line: string): string {
  const content = line.trimStart();
  return line.slice(0, line.length - content.length) + content.replaceAll(/\s/g, '');
}

/** `[a, b]`, and not `[ a, b ]` as the package writes it; lists of quoted texts are left alone. */
function withoutListPadding(line: string): string {
  return line.replaceAll(/\[ ([^[\]"']+) \]/g, '[$1]');
}
