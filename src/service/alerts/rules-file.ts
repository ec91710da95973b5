// The rules file while the service runs: read again when its text changes. A file that cannot be used leaves the
// last good one in effect and says what is wrong. Read every few seconds and compared as text: a few kilobytes,
// and no change is missed, as it would be by a modification time on a coarse or a mounted file system.

import { createHash } from 'node:crypto';
import type { Logger } from 'pino';
import { UserError } from '../../errors.ts';
import { createMutex } from '../jobs/mutex.ts';
import {
  DEFAULT_ALERT_CONFIG,
  type LoadedAlertConfig,
  parseRules,
  type RulesLocation,
  readRulesFile,
} from './parse-rules.ts';

export interface RulesFileOptions extends RulesLocation {
  /** Rejects with a UserError if the service may not send to a receiver. */
  readonly checkConfig: (config: LoadedAlertConfig) => Promise<void>;
  readonly log: Logger;
}

export interface RulesFileStatus {
  readonly path: string | null;
  /** When the rules in effect were read, in epoch milliseconds. */
  readonly loadedMs: number;
  /** What is wrong with the file since then, with line and column; null if nothing is. */
  readonly problem: string | null;
}

/** What is in effect. Its fields change when the file does. */
export class RulesFile implements LoadedAlertConfig {
  readonly #options: RulesFileOptions;
  readonly #runExclusive = createMutex();
  #config: LoadedAlertConfig;
  #hash: string;
  #status: RulesFileStatus;

  private constructor(options: RulesFileOptions, read: ReadConfig, nowMs: number) {
    this.#options = options;
    this.#config = read.config;
    this.#hash = read.hash;
    this.#status = { path: read.config.path, loadedMs: nowMs, problem: null };
  }

  /** @throws UserError INVALID_SETTING: a service does not start with rules that its operator did not write */
  static async open(options: RulesFileOptions, nowMs: number): Promise<RulesFile> {
    const read = readConfig(options);
    await options.checkConfig(read.config);
    return new RulesFile(options, read, nowMs);
  }

  /** @returns whether other rules or another problem apply from now on; never rejects */
  reload(nowMs: number): Promise<boolean> {
    return this.#runExclusive(() => this.#reload(nowMs));
  }

  async #reload(nowMs: number): Promise<boolean> {
    try {
      const hash = hashRulesFile(this.#options);
      if (hash === this.#hash) return false;
      this.#hash = hash;
      const { config } = readConfig(this.#options);
      await this.#options.checkConfig(config);
      this.#config = config;
      this.#status = { path: config.path, loadedMs: nowMs, problem: null };
      this.#options.log.info(
        { path: config.path, rules: config.rules.length },
        'alert rules were read again',
      );
      return true;
    } catch (error) {
      return this.#reject(error);
    }
  }

  #reject(error: unknown): boolean {
    const problem = error instanceof UserError ? error.message : 'The rules file could not be read.';
    if (problem === this.#status.problem) return false;
    this.#status = { ...this.#status, problem };
    const facts = { problem, ...(!(error instanceof UserError) && { err: error }) };
    this.#options.log.error(facts, 'alert rules are not valid; the last valid ones stay in effect');
    return true;
  }

  get status(): RulesFileStatus {
    return this.#status;
  }

  get path() {
    return this.#config.path;
  }

  get rules() {
    return this.#config.rules;
  }

  get receivers() {
    return this.#config.receivers;
  }

  get allowPrivateTargets() {
    return this.#config.allowPrivateTargets;
  }

  get routing() {
    return this.#config.routing;
  }

  get digests() {
    return this.#config.digests;
  }

  get externalUrl() {
    return this.#config.externalUrl;
  }
}

interface ReadConfig {
  readonly config: LoadedAlertConfig;
  readonly hash: string;
}

function readConfig(location: RulesLocation): ReadConfig {
  const hash = hashRulesFile(location);
  const file = readRulesFile(location);
  if (!file) return { hash, config: { ...DEFAULT_ALERT_CONFIG, path: null } };
  const config = { ...parseRules({ ...file, environment: location.environment }), path: file.path };
  return { hash, config };
}

/** Identifies the text of the file. A file that appears or vanishes is a change, too. */
export function hashRulesFile(location: RulesLocation): string {
  const file = readRulesFile(location);
  return createHash('sha256')
    .update(JSON.stringify(file ?? null))
    .digest('hex');
}
