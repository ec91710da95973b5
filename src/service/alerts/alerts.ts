// The alerts as the service runs them: hears of loops, reads long sessions, evaluates, and sees to it that what was found
// is told. Owns one file, one timer and the requests under way; `close` ends them. Nobody is told of anything that is
// not on disk: what a kill leaves undone is in the file, under the id it had before.

import { randomBytes, randomUUID } from 'node:crypto';
import type { Logger } from 'pino';
import type {
  AlertDeliveriesAnswer,
  AlertsAnswer,
  AlertTestAnswer,
  SilenceBody,
  SilenceRow,
  SilencesAnswer,
} from '../../contract/alerts.ts';
import type { LoopNotice } from '../../core/model/loop-notice.ts';
import type { StormRecord } from '../../core/model/storm-record.ts';
import { UserError } from '../../errors.ts';
import type { Clock } from '../../segments/clock.ts';
import type { FileSystem } from '../../segments/file-system.ts';
import { checkTarget, type Resolve } from './check-target.ts';
import { type Desk, hearLoops, hearStorms, step } from './desk.ts';
import { readDesk } from './desk-file.ts';
import { DeskKeeper } from './desk-keeper.ts';
import { Dispatcher } from './dispatcher.ts';
import { EventWriter } from './event-writer.ts';
import { type Forgotten, forget, isForgottenLoop } from './forget.ts';
import { createNotify, type Notify } from './notify.ts';
import { note } from './outbox.ts';
import type { FoundRules } from './read-rules.ts';
import type { LongSession } from './readings.ts';
import { isHttp } from './receiver.ts';
import type { SessionOverCallsRule } from './rule.ts';
import { SessionWatch } from './session-watch.ts';
import { showAlerts, showDeliveries, showSilence } from './show-alerts.ts';
import { createTestDelivery, createTestMessage } from './test-message.ts';

/** What the API, and whoever finds loops, may do with the alerts. */
export interface Alerts {
  /** Takes what began, goes on or ended; the same news may come twice. Resolves once it was looked at; never rejects. */
  onLoops(notices: readonly LoopNotice[]): Promise<void>;
  /** The same for storms; their news must come before that of the loops that are a part of them. */
  onStorms(storms: readonly StormRecord[]): Promise<void>;
  list(): AlertsAnswer;
  deliveries(): AlertDeliveriesAnswer;
  silences(): SilencesAnswer;
  /** Resolves when it is on disk. */
  addSilence(body: SilenceBody): Promise<SilenceRow>;
  /** Ends it now. @throws UserError NOT_FOUND */
  endSilence(id: string): Promise<void>;
  /** Sends one message to one receiver, once. @throws UserError INVALID_PARAMETER */
  test(receiver: string): Promise<AlertTestAnswer>;
  /**
   * Forgets sessions that are gone from the store already, or only counts what that would take away.
   * @returns how many records
   */
  forget(forgotten: Forgotten, mode: 'count' | 'forget'): Promise<number>;
  /** Ends within three seconds; what was not told is told after the next start. */
  close(): Promise<void>;
}

export interface AlertsOptions {
  readonly setup: FoundRules;
  readonly dataDirectory: string;
  readonly fileSystem: FileSystem;
  readonly clock: Clock;
  /** Where the dashboard is, unless the rules file says otherwise; without a closing slash. */
  readonly url: string;
  readonly resolve: Resolve;
  /** Sessions that go on and have more calls than the rule allows; rejects when the store does not answer. */
  readonly readSessions: (rule: SessionOverCallsRule) => Promise<readonly LongSession[]>;
  /** Stores rows of `alert_events`; the same token twice is stored once. False: try again. */
  readonly storeEvents: (rows: Uint8Array, token: string) => Promise<boolean>;
  /** Tells the open pages that something changed. */
  readonly publish: () => void;
  readonly log: Logger;
  readonly timing?: Partial<Timing>;
}

interface Timing {
  readonly tickMs: number;
  readonly readSessionsMs: number;
  /** For one attempt of a webhook. */
  readonly timeoutMs: number;
}

const TIMING: Timing = { tickMs: 1_000, readSessionsMs: 10_000, timeoutMs: 30_000 };
/** What is only seen again, and no news, is written this often: after a kill it is this old at most. */
const WRITE_SEEN_MS = 30_000;
const MOST_SILENCES = 500;

/**
 * Opens the alerts over what an earlier process left.
 *
 * @throws UserError INVALID_SETTING when a receiver has a private address that is not allowed
 */
export async function openAlerts(options: AlertsOptions): Promise<Alerts> {
  await refusePrivateTargets(options);
  return new RunningAlerts(options, await readDesk(options));
}

/** A name that does not resolve now may do so later; it is checked again whenever something is sent. */
async function refusePrivateTargets({ setup, resolve }: AlertsOptions): Promise<void> {
  const { allowPrivateTargets, receivers, path } = setup;
  const checks = receivers.filter(isHttp).map(async ({ name, url }) => {
    const target = await checkTarget(url, { allowPrivateTargets, resolve });
    if (target.status !== 'refused') return;
    throw new UserError(
      'INVALID_SETTING',
      `${path}: receiver "${name}", field "url" is not allowed. ${target.reason}`,
      {
        field: 'url',
      },
    );
  });
  await Promise.all(checks);
}

class RunningAlerts implements Alerts {
  readonly #options: AlertsOptions;
  readonly #timing: Timing;
  readonly #keeper: DeskKeeper;
  readonly #notify: Notify;
  readonly #dispatcher: Dispatcher;
  readonly #events: EventWriter;
  readonly #ending = new AbortController();
  readonly #watch: SessionWatch;
  #heard: readonly LoopNotice[] = [];
  #heardStorms: readonly StormRecord[] = [];
  #readMs = Number.NEGATIVE_INFINITY;
  #writtenMs = Number.NEGATIVE_INFINITY;
  /** The evaluation that waits for its turn. */
  #asked: Promise<void> | undefined;
  #isClosed = false;
  #cancelTick: () => void = () => undefined;

  constructor(options: AlertsOptions, desk: Desk) {
    const { setup, resolve, url, clock, log, publish } = options;
    this.#options = options;
    this.#timing = { ...TIMING, ...options.timing };
    this.#keeper = new DeskKeeper(desk, options);
    this.#notify = createNotify({
      allowPrivateTargets: setup.allowPrivateTargets,
      resolve,
      externalUrl: setup.externalUrl ?? url,
      timeoutMs: this.#timing.timeoutMs,
      now: () => clock.now(),
      log,
      publish,
    });
    const parts = { ...options, keeper: this.#keeper, ending: this.#ending };
    this.#dispatcher = new Dispatcher({ ...parts, receivers: setup.receivers, notify: this.#notify });
    this.#events = new EventWriter(parts);
    this.#watch = new SessionWatch({ ...options, rules: setup.rules });
    this.#tick();
  }

  onLoops(notices: readonly LoopNotice[]): Promise<void> {
    this.#heard = [...this.#heard, ...notices];
    return this.#askForEvaluation();
  }

  onStorms(storms: readonly StormRecord[]): Promise<void> {
    this.#heardStorms = [...this.#heardStorms, ...storms];
    return this.#askForEvaluation();
  }

  list(): AlertsAnswer {
    return showAlerts(this.#keeper.desk, this.#options.setup, this.#now());
  }

  deliveries(): AlertDeliveriesAnswer {
    return showDeliveries(this.#keeper.desk.outbox);
  }

  silences(): SilencesAnswer {
    return { silences: this.#keeper.desk.silences.map((silence) => showSilence(silence, this.#now())) };
  }

  async addSilence({ matchers, durationSeconds, comment }: SilenceBody): Promise<SilenceRow> {
    const createdMs = this.#now();
    const expiresMs = createdMs + durationSeconds * 1_000;
    const silence = { id: randomUUID(), matchers, comment, createdMs, expiresMs };
    await this.#keeper.change((desk) => {
      if (desk.silences.length >= MOST_SILENCES) {
        throw new UserError('INVALID_BODY', `There are ${MOST_SILENCES} silences. End some first.`);
      }
      return { ...desk, silences: [...desk.silences, silence] };
    });
    this.#options.publish();
    return showSilence(silence, createdMs);
  }

  async endSilence(id: string): Promise<void> {
    await this.#keeper.change((desk) => {
      const nowMs = this.#now();
      const found = desk.silences.find((silence) => silence.id === id && nowMs < silence.expiresMs);
      if (!found) throw new UserError('NOT_FOUND', 'No silence of that id is active.');
      const ended = { ...found, expiresMs: nowMs };
      return { ...desk, silences: desk.silences.map((silence) => (silence === found ? ended : silence)) };
    });
    this.#options.publish();
    await this.#askForEvaluation();
  }

  async test(name: string): Promise<AlertTestAnswer> {
    const { receivers } = this.#options.setup;
    const receiver = receivers.find((known) => known.name === name);
    if (!receiver) {
      const known = receivers.map((each) => each.name).join(', ');
      throw new UserError('INVALID_BODY', `There is no receiver of that name. Expected one of ${known}.`, {
        field: 'receiver',
      });
    }
    const startedMs = this.#now();
    const id = randomBytes(16).toString('hex');
    const message = createTestMessage(name, startedMs);
    const result = await this.#notify(receiver, { id, message, signal: this.#ending.signal });
    const delivery = createTestDelivery({ id, message, result, startedMs, endedMs: this.#now() });
    await this.#keeper.record((desk) => ({ ...desk, outbox: note(desk.outbox, delivery) }));
    return { status: delivery.status, httpStatus: delivery.httpStatus, reason: delivery.reason };
  }

  async forget(forgotten: Forgotten, mode: 'count' | 'forget'): Promise<number> {
    if (mode === 'count') return forget(this.#keeper.desk, forgotten).records;
    this.#heard = this.#heard.filter((notice) => !isForgottenLoop(notice, forgotten));
    // A reading under way may have begun before the sessions went; the one after it did not.
    await this.#watch.settled();
    await this.#watch.read();
    await this.#events.settled();
    let records = 0;
    await this.#keeper.erase((desk) => {
      const left = forget(desk, forgotten);
      records = left.records;
      return left.desk;
    });
    this.#options.publish();
    return records;
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    this.#cancelTick();
    await this.#keeper.settled();
    await this.#dispatcher.close();
    await Promise.all([this.#watch.settled(), this.#events.settled()]);
    await this.#keeper.record((desk) => desk);
  }

  #now(): number {
    return this.#options.clock.now();
  }

  #tick(): void {
    if (isOver(this.#readMs, { nowMs: this.#now(), ms: this.#timing.readSessionsMs })) {
      this.#readMs = this.#now();
      void this.#watch.read().then(() => this.#askForEvaluation());
    }
    void this.#askForEvaluation();
    this.#cancelTick = this.#options.clock.schedule(this.#timing.tickMs, () => this.#tick());
  }

  /** However often it is asked for, one that has not begun is enough. */
  #askForEvaluation(): Promise<void> {
    if (this.#isClosed) return Promise.resolve();
    this.#asked ??= this.#evaluate();
    return this.#asked;
  }

  async #evaluate(): Promise<void> {
    let heard: Heard = { loops: [], storms: [] };
    let isVisible = false;
    const hasAdvanced = await this.#keeper.advance((desk) => {
      this.#asked = undefined;
      heard = { loops: this.#heard, storms: this.#heardStorms };
      const next = this.#step(desk, heard);
      isVisible = next.isVisible;
      return next;
    });
    if (!hasAdvanced) return;
    const taken = new Set<object>([...heard.loops, ...heard.storms]);
    this.#heard = this.#heard.filter((notice) => !taken.has(notice));
    this.#heardStorms = this.#heardStorms.filter((storm) => !taken.has(storm));
    if (isVisible) this.#options.publish();
    this.#dispatcher.deliver();
    this.#events.write();
  }

  #step(desk: Desk, { loops, storms }: Heard): { desk: Desk; durable: boolean; isVisible: boolean } {
    const nowMs = this.#now();
    const { rules, receivers } = this.#options.setup;
    const names = receivers.map(({ name }) => name);
    const next = step(
      hearLoops(hearStorms(desk, storms, nowMs), loops, nowMs),
      { rules, receivers: names, sessions: this.#watch.sessions },
      nowMs,
    );
    const isStale = isOver(this.#writtenMs, { nowMs, ms: WRITE_SEEN_MS }) && next.desk.book.alerts.length > 0;
    const durable = next.isNews || isStale || [...loops, ...storms].some(({ state }) => state === 'over');
    if (durable) this.#writtenMs = nowMs;
    return { desk: next.desk, durable, isVisible: next.isVisible };
  }
}

/** Whether so long has gone by; also where the clock was set back, or nothing would be done until it has caught up. */
function isOver(sinceMs: number, { nowMs, ms }: { readonly nowMs: number; readonly ms: number }): boolean {
  return nowMs - sinceMs >= ms || nowMs < sinceMs;
}

/** News that waits to be looked at. */
interface Heard {
  readonly loops: readonly LoopNotice[];
  readonly storms: readonly StormRecord[];
}
