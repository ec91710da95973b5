// The alerts worker: receives loop updates, reads long sessions, evaluates rules, and sends notifications.
// Owns one file, one timer and the pending requests; `close` ends them. Nothing is sent before it is on disk:
// after a crash the rest is sent under the same id.

import { randomBytes, randomUUID } from 'node:crypto';
import type { Logger } from 'pino';
import type {
  AlertDeliveriesResponse,
  AlertsResponse,
  AlertTestResponse,
  SilenceBody,
  SilenceRow,
  SilencesResponse,
} from '../../contract/alerts.ts';
import type { LoopUpdate } from '../../core/model/loop-notice.ts';
import type { StormRecord } from '../../core/model/storm-record.ts';
import { UserError } from '../../errors.ts';
import type { Clock } from '../../segment-log/clock.ts';
import type { FileSystem } from '../../segment-log/file-system.ts';
import type { LongSession } from './alert-candidates.ts';
import { AlertEventWriter } from './alert-event-writer.ts';
import { toAlertsResponse, toDeliveriesResponse, toSilenceRow } from './alert-responses.ts';
import type { SessionOverCallsRule } from './alert-rule.ts';
import { type AlertState, addLoopNotices, addStorms, advanceAlertState } from './alert-state.ts';
import { readAlertState } from './alert-state-file.ts';
import { AlertStateRepository } from './alert-state-repository.ts';
import { checkTarget, type ResolveHostname } from './check-target.ts';
import type { LoadedAlertConfig } from './load-alert-config.ts';
import { LongSessionReader } from './long-session-reader.ts';
import { NotificationDispatcher } from './notification-dispatcher.ts';
import { createNotify, type Notify } from './notify.ts';
import { addDelivery } from './outbox.ts';
import { type AlertPurgeSelection, isPurgedLoop, purgeAlertState } from './purge-alert-state.ts';
import { isHttpReceiver } from './receiver.ts';
import { createTestDelivery, createTestMessage } from './test-message.ts';

/** The operations of the alerts for the API and detection. */
export interface Alerts {
  /**
   * Receives loops that began, continued or ended; updates may repeat. Resolves once they were evaluated;
   * never rejects.
   */
  onLoops(notices: readonly LoopUpdate[]): Promise<void>;
  /** The same for storms; their updates must precede those of the loops in them. */
  onStorms(storms: readonly StormRecord[]): Promise<void>;
  list(): AlertsResponse;
  deliveries(): AlertDeliveriesResponse;
  silences(): SilencesResponse;
  /** Resolves when it is on disk. */
  addSilence(body: SilenceBody): Promise<SilenceRow>;
  /**
   * Ends it now.
   *
   * @throws UserError NOT_FOUND
   */
  endSilence(id: string): Promise<void>;
  /**
   * Sends one message to one receiver, once.
   *
   * @throws UserError INVALID_PARAMETER
   */
  test(receiver: string): Promise<AlertTestResponse>;
  /**
   * Removes sessions that are already deleted from the store, or only counts the affected records.
   *
   * @returns how many records
   */
  purge(forgotten: AlertPurgeSelection, mode: 'count' | 'forget'): Promise<number>;
  /** Ends within three seconds; pending notifications are sent after the next start. */
  close(): Promise<void>;
}

export interface AlertsOptions {
  readonly config: LoadedAlertConfig;
  readonly dataDirectory: string;
  readonly fileSystem: FileSystem;
  readonly clock: Clock;
  /** Where the dashboard is, unless the rules file says otherwise; without a closing slash. */
  readonly url: string;
  readonly resolveHostname: ResolveHostname;
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

const DEFAULT_TIMING: Timing = { tickMs: 1_000, readSessionsMs: 10_000, timeoutMs: 30_000 };
/** What is only seen again, and no news, is written this often: after a kill it is this old at most. */
const MAX_SEEN_AGE_MS = 30_000;
const MAX_SILENCES = 500;

/**
 * Opens the alerts over what an earlier process left.
 *
 * @throws UserError INVALID_SETTING when a receiver has a private address that is not allowed
 */
export async function startAlerts(options: AlertsOptions): Promise<Alerts> {
  await rejectPrivateTargets(options);
  return new AlertsWorker(options, await readAlertState(options));
}

/** A name that does not resolve now may do so later; it is checked again whenever something is sent. */
async function rejectPrivateTargets({ config, resolveHostname }: AlertsOptions): Promise<void> {
  const { allowPrivateTargets, receivers, path } = config;
  const checks = receivers.filter(isHttpReceiver).map(async ({ name, url }) => {
    const target = await checkTarget(url, { allowPrivateTargets, resolveHostname });
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

class AlertsWorker implements Alerts {
  readonly #options: AlertsOptions;
  readonly #timing: Timing;
  readonly #repository: AlertStateRepository;
  readonly #notify: Notify;
  readonly #dispatcher: NotificationDispatcher;
  readonly #events: AlertEventWriter;
  readonly #abort = new AbortController();
  readonly #sessionReader: LongSessionReader;
  #receivedLoops: readonly LoopUpdate[] = [];
  #receivedStorms: readonly StormRecord[] = [];
  #lastReadMs = Number.NEGATIVE_INFINITY;
  #lastWrittenMs = Number.NEGATIVE_INFINITY;
  /** The evaluation that waits for its turn. */
  #evaluation: Promise<void> | undefined;
  #isClosed = false;
  #cancelTick: () => void = () => undefined;

  constructor(options: AlertsOptions, alertState: AlertState) {
    const { config, resolveHostname, url, clock, log, publish } = options;
    this.#options = options;
    this.#timing = { ...DEFAULT_TIMING, ...options.timing };
    this.#repository = new AlertStateRepository(alertState, options);
    this.#notify = createNotify({
      allowPrivateTargets: config.allowPrivateTargets,
      resolveHostname,
      externalUrl: config.externalUrl ?? url,
      timeoutMs: this.#timing.timeoutMs,
      now: () => clock.now(),
      log,
      publish,
    });
    const parts = { ...options, repository: this.#repository, abort: this.#abort };
    this.#dispatcher = new NotificationDispatcher({
      ...parts,
      receivers: config.receivers,
      notify: this.#notify,
    });
    this.#events = new AlertEventWriter(parts);
    this.#sessionReader = new LongSessionReader({ ...options, rules: config.rules });
    this.#tick();
  }

  onLoops(notices: readonly LoopUpdate[]): Promise<void> {
    this.#receivedLoops = [...this.#receivedLoops, ...notices];
    return this.#requestEvaluation();
  }

  onStorms(storms: readonly StormRecord[]): Promise<void> {
    this.#receivedStorms = [...this.#receivedStorms, ...storms];
    return this.#requestEvaluation();
  }

  list(): AlertsResponse {
    return toAlertsResponse(this.#repository.state, this.#options.config, this.#now());
  }

  deliveries(): AlertDeliveriesResponse {
    return toDeliveriesResponse(this.#repository.state.outbox);
  }

  silences(): SilencesResponse {
    return { silences: this.#repository.state.silences.map((silence) => toSilenceRow(silence, this.#now())) };
  }

  async addSilence({ matchers, durationSeconds, comment }: SilenceBody): Promise<SilenceRow> {
    const createdMs = this.#now();
    const expiresMs = createdMs + durationSeconds * 1_000;
    const silence = { id: randomUUID(), matchers, comment, createdMs, expiresMs };
    await this.#repository.update((alertState) => {
      if (alertState.silences.length >= MAX_SILENCES) {
        throw new UserError('INVALID_BODY', `There are ${MAX_SILENCES} silences. End some first.`);
      }
      return { ...alertState, silences: [...alertState.silences, silence] };
    });
    this.#options.publish();
    return toSilenceRow(silence, createdMs);
  }

  async endSilence(id: string): Promise<void> {
    await this.#repository.update((alertState) => {
      const nowMs = this.#now();
      const found = alertState.silences.find((silence) => silence.id === id && nowMs < silence.expiresMs);
      if (!found) throw new UserError('NOT_FOUND', 'No silence of that id is active.');
      const ended = { ...found, expiresMs: nowMs };
      return {
        ...alertState,
        silences: alertState.silences.map((silence) => (silence === found ? ended : silence)),
      };
    });
    this.#options.publish();
    await this.#requestEvaluation();
  }

  async test(name: string): Promise<AlertTestResponse> {
    const { receivers } = this.#options.config;
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
    const result = await this.#notify(receiver, { id, message, signal: this.#abort.signal });
    const delivery = createTestDelivery({ id, message, result, startedMs, endedMs: this.#now() });
    await this.#repository.updateInMemory((alertState) => ({
      ...alertState,
      outbox: addDelivery(alertState.outbox, delivery),
    }));
    return { status: delivery.status, httpStatus: delivery.httpStatus, reason: delivery.reason };
  }

  async purge(forgotten: AlertPurgeSelection, mode: 'count' | 'forget'): Promise<number> {
    if (mode === 'count') return purgeAlertState(this.#repository.state, forgotten).records;
    this.#receivedLoops = this.#receivedLoops.filter((notice) => !isPurgedLoop(notice, forgotten));
    // A reading under way may have begun before the sessions went; the one after it did not.
    await this.#sessionReader.settled();
    await this.#sessionReader.read();
    await this.#events.settled();
    let records = 0;
    await this.#repository.updateAndRewrite((alertState) => {
      const left = purgeAlertState(alertState, forgotten);
      records = left.records;
      return left.alertState;
    });
    this.#options.publish();
    return records;
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    this.#cancelTick();
    await this.#repository.settled();
    await this.#dispatcher.close();
    await Promise.all([this.#sessionReader.settled(), this.#events.settled()]);
    await this.#repository.updateInMemory((alertState) => alertState);
  }

  #now(): number {
    return this.#options.clock.now();
  }

  #tick(): void {
    if (hasElapsed(this.#lastReadMs, { nowMs: this.#now(), ms: this.#timing.readSessionsMs })) {
      this.#lastReadMs = this.#now();
      void this.#sessionReader.read().then(() => this.#requestEvaluation());
    }
    void this.#requestEvaluation();
    this.#cancelTick = this.#options.clock.schedule(this.#timing.tickMs, () => this.#tick());
  }

  /** However often it is asked for, one that has not begun is enough. */
  #requestEvaluation(): Promise<void> {
    if (this.#isClosed) return Promise.resolve();
    this.#evaluation ??= this.#evaluate();
    return this.#evaluation;
  }

  async #evaluate(): Promise<void> {
    let received: ReceivedNotices = { loops: [], storms: [] };
    let isVisible = false;
    const hasAdvanced = await this.#repository.tryUpdate((alertState) => {
      this.#evaluation = undefined;
      received = { loops: this.#receivedLoops, storms: this.#receivedStorms };
      const next = this.#advance(alertState, received);
      isVisible = next.isVisible;
      return next;
    });
    if (!hasAdvanced) return;
    const evaluated = new Set<object>([...received.loops, ...received.storms]);
    this.#receivedLoops = this.#receivedLoops.filter((notice) => !evaluated.has(notice));
    this.#receivedStorms = this.#receivedStorms.filter((storm) => !evaluated.has(storm));
    if (isVisible) this.#options.publish();
    this.#dispatcher.deliver();
    this.#events.write();
  }

  #advance(
    alertState: AlertState,
    { loops, storms }: ReceivedNotices,
  ): { alertState: AlertState; durable: boolean; isVisible: boolean } {
    const nowMs = this.#now();
    const { rules, receivers } = this.#options.config;
    const names = receivers.map(({ name }) => name);
    const next = advanceAlertState(
      addLoopNotices(addStorms(alertState, storms, nowMs), loops, nowMs),
      { rules, receivers: names, sessions: this.#sessionReader.sessions },
      nowMs,
    );
    const isStale =
      hasElapsed(this.#lastWrittenMs, { nowMs, ms: MAX_SEEN_AGE_MS }) && next.state.book.alerts.length > 0;
    const durable = next.hasChanges || isStale || [...loops, ...storms].some(({ state }) => state === 'over');
    if (durable) this.#lastWrittenMs = nowMs;
    return { alertState: next.state, durable, isVisible: next.isVisible };
  }
}

/** Whether so long has gone by; also where the clock was set back, or nothing would be done until it has caught up. */
function hasElapsed(
  sinceMs: number,
  { nowMs, ms }: { readonly nowMs: number; readonly ms: number },
): boolean {
  return nowMs - sinceMs >= ms || nowMs < sinceMs;
}

/** News that waits to be looked at. */
interface ReceivedNotices {
  readonly loops: readonly LoopUpdate[];
  readonly storms: readonly StormRecord[];
}
