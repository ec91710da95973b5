// Changes rules in the rules file for the dashboard: checks a change against the text that it was made for, writes
// the file atomically, applies it at once and records who changed what.

import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import type {
  AlertRulesResponse,
  EditableRule,
  ReceiverDraft,
  RuleChangeRow,
  SaveRuleBody,
  SaveRuleResponse,
} from '../../../contract/alert-rules.ts';
import { UserError } from '../../../errors.ts';
import { createMutex } from '../../jobs/mutex.ts';
import type { RuleChange } from '../alert-records.ts';
import { DEFAULT_RULES } from '../alert-rule.ts';
import { type AlertConfig, parseRules, type RulesLocation, readRulesFile } from '../parse-rules.ts';
import { hashRulesFile, type RulesFile, type RulesFileOptions } from '../rules-file.ts';
import {
  removeSecret,
  toFileEntry,
  toSecretPath,
  toVariableEntry,
  toVariableName,
  writeSecret,
} from './add-receiver.ts';
import { parseRuleFieldsOrThrow } from './parse-rule-fields.ts';
import { isReplaceable, replaceFile } from './replace-file.ts';
import {
  changeRulesText,
  findRuleFields,
  formatRulesText,
  listRuleFields,
  type RulesTextChange,
} from './rules-text.ts';

export interface RuleEditorOptions extends RulesLocation, Pick<RulesFileOptions, 'checkConfig'> {
  readonly rulesFile: RulesFile;
  /** Newest first. */
  readonly listChanges: () => readonly RuleChange[];
  /** Resolves when it is on disk. */
  readonly recordChange: (change: RuleChange) => Promise<void>;
  readonly now: () => number;
}

interface OpenFile {
  readonly path: string;
  readonly text: string;
}

interface Edit {
  readonly change: RulesTextChange;
  readonly author: string;
  readonly ruleId: string;
  readonly receiver: ReceiverDraft | undefined;
}

const READ_ONLY = 'The service may not write the file.';

export class RuleEditor {
  readonly #options: RuleEditorOptions;
  readonly #runExclusive = createMutex();

  constructor(options: RuleEditorOptions) {
    this.#options = options;
  }

  async list(): Promise<AlertRulesResponse> {
    const { rulesFile, listChanges, now } = this.#options;
    await rulesFile.reload(now());
    const changes = listChanges().map(toChangeRow);
    const { problem, path } = rulesFile.status;
    // The text of a file with a mistake may have a secret in the place of a rule.
    if (problem !== null)
      return { path: path ?? '', version: 'invalid', readOnly: problem, rules: [], changes };
    const file = this.#read();
    return {
      path: file.path,
      version: hashRulesFile(this.#options),
      readOnly: (await isReplaceable(file.path)) ? null : READ_ONLY,
      rules: listRules(file),
      changes,
    };
  }

  /** @throws UserError INVALID_BODY, INVALID_SETTING or RULES_CHANGED */
  save({ version, rule: fields, replaces, receiver, author }: SaveRuleBody): Promise<SaveRuleResponse> {
    return this.#runExclusive(async () => {
      const { id } = parseRuleFieldsOrThrow(fields);
      const file = this.#open(version);
      const { rulesFile } = this.#options;
      if (id !== replaces && rulesFile.rules.some((rule) => rule.id === id))
        throw new UserError('INVALID_BODY', `There is a rule "${id}" already.`, { field: 'id' });
      if (receiver && rulesFile.receivers.some(({ name }) => name === receiver.name))
        throw new UserError('INVALID_BODY', `There is a receiver "${receiver.name}" already.`, {
          field: 'receiver.name',
        });
      const rule = withoutImpliedKind(file, fields);
      return this.#apply(file, { change: { rule, replaces }, author, ruleId: id, receiver });
    });
  }

  /** @throws UserError NOT_FOUND, INVALID_SETTING or RULES_CHANGED */
  remove(id: string, { version, author }: Pick<SaveRuleBody, 'version' | 'author'>) {
    return this.#runExclusive(async () => {
      const file = this.#open(version);
      if (!findRuleFields(file, id))
        throw new UserError('NOT_FOUND', `The rules file has no rule "${id}".`, { field: 'id' });
      return this.#apply(file, { change: { replaces: id }, author, ruleId: id, receiver: undefined });
    });
  }

  #read(): OpenFile {
    const { dataDirectory } = this.#options;
    return readRulesFile(this.#options) ?? { path: join(dataDirectory, 'alerts.yaml'), text: '' };
  }

  #open(version: string): OpenFile {
    if (hashRulesFile(this.#options) === version) return this.#read();
    throw new UserError('RULES_CHANGED', 'The rules file has changed since this page read it.', {
      field: 'version',
      hint: 'Reload the page and repeat the change.',
    });
  }

  async #apply(file: OpenFile, edit: Edit): Promise<SaveRuleResponse> {
    const { change, receiver } = edit;
    await this.#check(file, edit);
    const shown: SaveRuleResponse = {
      status: 'shown',
      path: file.path,
      text: formatRulesText({ ...change, ...(receiver && toVariableReceivers(receiver)) }),
      version: hashRulesFile(this.#options),
    };
    if (!(await isReplaceable(file.path))) return shown;
    const { dataDirectory } = this.#options;
    const secretPath = receiver ? toSecretPath(dataDirectory, receiver.name) : '';
    const receivers = receiver && { [receiver.name]: toFileEntry(receiver, secretPath) };
    const written = { ...change, ...(receivers && { receivers }) };
    try {
      if (receiver) await writeSecret(dataDirectory, receiver);
      await replaceFile(file.path, changeRulesText(file, written));
    } catch (error) {
      if (receiver) await removeSecret(dataDirectory, receiver.name);
      if (isRefusedBySystem(error)) return shown;
      throw error;
    }
    await this.#finish(file, edit);
    const version = hashRulesFile(this.#options);
    return { status: 'saved', path: file.path, text: formatRulesText(written), version };
  }

  /** The whole file as it will be, before anything is written. The secret stands in for the file that will have it. */
  async #check(file: OpenFile, { change, receiver }: Edit): Promise<void> {
    const { environment, checkConfig } = this.#options;
    const receivers = receiver && toVariableReceivers(receiver);
    const text = changeRulesText(file, { ...change, ...receivers });
    const variables = receiver && { [toVariableName(receiver)]: receiver.secret };
    const config: AlertConfig = parseRules({
      ...{ path: file.path, text },
      environment: { ...environment, ...variables },
    });
    await checkConfig({ ...config, path: file.path });
  }

  async #finish(file: OpenFile, { change, author, ruleId, receiver }: Edit): Promise<void> {
    const { rulesFile, recordChange, now } = this.#options;
    await rulesFile.reload(now());
    const old = change.replaces === undefined ? undefined : findRuleFields(file, change.replaces);
    await recordChange({
      id: randomUUID(),
      atMs: now(),
      author,
      ruleId,
      change: change.rule === undefined ? 'removed' : old === undefined ? 'created' : 'changed',
      receiver: receiver?.name ?? null,
      before: old ? formatRulesText({ rule: old }) : null,
      after: change.rule ? formatRulesText({ rule: change.rule }) : null,
    });
  }
}

function toChangeRow({ atMs, ...change }: RuleChange): RuleChangeRow {
  return { ...change, at: new Date(atMs).toISOString() };
}

function toVariableReceivers(receiver: ReceiverDraft): Pick<RulesTextChange, 'receivers'> {
  return { receivers: { [receiver.name]: toVariableEntry(receiver, toVariableName(receiver)) } };
}

function listRules(file: OpenFile): EditableRule[] {
  const inFile = listRuleFields(file);
  const builtIn = new Map(DEFAULT_RULES.map(({ id, kind }) => [id, kind]));
  const ids = inFile.map(({ id }) => id);
  const missing = DEFAULT_RULES.filter(({ id }) => !ids.includes(id)).map(({ id, kind }) => ({ id, kind }));
  return [...missing, ...inFile].map((fields) => {
    // Built-in rules need no kind in the file.
    const entry = { kind: builtIn.get(String(fields.id)), ...fields };
    const { id, kind } = parseRuleFieldsOrThrow(entry);
    return { id, kind, isBuiltIn: builtIn.has(id), isInFile: ids.includes(id), entry };
  });
}

/** A built-in rule that stands in the file without its kind stays so. */
function withoutImpliedKind(
  file: OpenFile,
  fields: Readonly<Record<string, unknown>>,
): Readonly<Record<string, unknown>> {
  const { kind: _, ...rest } = fields;
  const builtIn = DEFAULT_RULES.find(({ id }) => id === fields['id']);
  if (!builtIn || builtIn.kind !== fields['kind']) return fields;
  const known = findRuleFields(file, builtIn.id);
  return known && 'kind' in known ? fields : rest;
}

/** A file that is mounted alone, or on a file system that is read-only. */
function isRefusedBySystem(error: unknown): boolean {
  const code = error instanceof Error ? Reflect.get(error, 'code') : undefined;
  return ['EACCES', 'EPERM', 'EROFS', 'EBUSY'].includes(String(code));
}
