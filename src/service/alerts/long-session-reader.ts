// Long sessions by rule, from the store. Owns the pending read. If a read fails, the previous result is kept.

import type { Logger } from 'pino';
import type { LongSession } from './alert-candidates.ts';
import type { AlertRule, SessionOverCallsRule } from './alert-rule.ts';

export interface LongSessionReaderOptions {
  /** Its rules change when the rules file does. */
  readonly config: { readonly rules: readonly AlertRule[] };
  /** Ongoing sessions with more calls than the rule allows; rejects when the store fails. */
  readonly readSessions: (rule: SessionOverCallsRule) => Promise<readonly LongSession[]>;
  readonly log: Logger;
}

export class LongSessionReader {
  readonly #options: LongSessionReaderOptions;
  #sessions: ReadonlyMap<string, readonly LongSession[]> = new Map();
  #reading: Promise<void> | undefined;

  constructor(options: LongSessionReaderOptions) {
    this.#options = options;
  }

  /** By rule id; rules whose sessions were never read are missing. */
  get sessions(): ReadonlyMap<string, readonly LongSession[]> {
    return this.#sessions;
  }

  /** Reads, or waits for the pending read; never rejects. */
  read(): Promise<void> {
    this.#reading ??= this.#readRules().finally(() => {
      this.#reading = undefined;
    });
    return this.#reading;
  }

  async settled(): Promise<void> {
    await this.#reading;
  }

  async #readRules(): Promise<void> {
    const sessions = new Map(this.#sessions);
    const { config, readSessions, log } = this.#options;
    for (const rule of config.rules) {
      if (rule.kind !== 'session_over_calls' || !rule.enabled) continue;
      try {
        sessions.set(rule.id, await readSessions(rule));
      } catch (error) {
        log.warn({ rule: rule.id, err: error }, 'sessions could not be read for an alert rule');
      }
    }
    this.#sessions = sessions;
  }
}
