// The alerts worker: receives loop updates, reads long sessions, evaluates rules, and sends notifications.
// Owns one file, one timer and the pending requests; `close` ends them. Nothing is sent before it is on disk:
// after a crash the rest is sent under the same id.

import type { LoopUpdate } from '../../core/model/loop-record.ts';
import type { StormRecord } from '../../core/model/storm-record.ts';
import { AlertEventWriter } from './alert-event-writer.ts';
import type { AlertState } from './alert-records.ts';
import { AlertRequests } from './alert-requests.ts';
import { addUpdates, advanceAlertState, NOTHING_RECEIVED, type ReceivedUpdates } from './alert-state.ts';
import { readAlertState } from './alert-state-file.ts';
import { AlertStateRepository } from './alert-state-repository.ts';
import { AlertmanagerResender } from './alertmanager-resender.ts';
import { type AlertsOptions, DEFAULT_TIMING, type Timing } from './alerts-options.ts';
import { DigestSender } from './digest/digest-sender.ts';
import { hasElapsed } from './has-elapsed.ts';
import { LongSessionReader } from './long-session-reader.ts';
import { WindowRuleReader } from './metrics/window-rule-reader.ts';
import { NotificationDispatcher } from './notification-dispatcher.ts';
import { type AlertPurgeSelection, createPurgeMatcher, purgeAlertState } from './purge-alert-state.ts';
import { ALERTMANAGER_RESEND_MS } from './receivers/alertmanager.ts';
import { checkReceivers } from './receivers/check-receivers.ts';
import { createNotify } from './receivers/notify.ts';

/** How often an unchanged state is written. After a kill, the last time alerts were seen is this old at most. */
const MAX_SEEN_AGE_MS = 30_000;

/**
 * Resumes with the state of the previous process.
 *
 * @throws UserError INVALID_SETTING when a receiver has a private address or a command that is not allowed
 */
export async function startAlerts(options: AlertsOptions): Promise<AlertsWorker> {
  const { config, resolveHostname, allowedCommands } = options;
  const { path, allowPrivateTargets } = config;
  await checkReceivers(config.receivers, { path, allowPrivateTargets, resolveHostname, allowedCommands });
  return new AlertsWorker(options, await readAlertState(options));
}

export class AlertsWorker {
  readonly requests: AlertRequests;
  readonly #options: AlertsOptions;
  readonly #timing: Timing;
  readonly #repository: AlertStateRepository;
  readonly #dispatcher: NotificationDispatcher;
  readonly #events: AlertEventWriter;
  readonly #resender: AlertmanagerResender;
  readonly #abort = new AbortController();
  readonly #sessionReader: LongSessionReader;
  readonly #windowReader: WindowRuleReader;
  readonly #digests: DigestSender;
  #received = NOTHING_RECEIVED;
  #lastReloadMs = Number.NEGATIVE_INFINITY;
  #lastReadMs = Number.NEGATIVE_INFINITY;
  #lastResentMs = Number.NEGATIVE_INFINITY;
  #lastWrittenMs = Number.NEGATIVE_INFINITY;
  /** The evaluation that has not started yet. */
  #evaluation: Promise<void> | undefined;
  #isClosed = false;
  #cancelTick: () => void = () => undefined;

  constructor(options: AlertsOptions, alertState: AlertState) {
    const { config, resolveHostname, allowedCommands, url, clock, log, publish } = options;
    this.#options = options;
    this.#timing = { ...DEFAULT_TIMING, ...options.timing };
    this.#repository = new AlertStateRepository(alertState, options);
    const notify = createNotify({
      get allowPrivateTargets() {
        return config.allowPrivateTargets;
      },
      resolveHostname,
      allowedCommands,
      get externalUrl() {
        return config.externalUrl ?? url;
      },
      timeoutMs: this.#timing.timeoutMs,
      now: () => clock.now(),
      log,
      publish,
    });
    const parts = { ...options, repository: this.#repository, abort: this.#abort };
    const sending = { ...parts, config, notify };
    this.#dispatcher = new NotificationDispatcher(sending);
    this.requests = new AlertRequests({
      ...sending,
      requestEvaluation: () => this.#requestEvaluation(),
    });
    this.#resender = new AlertmanagerResender(sending);
    this.#events = new AlertEventWriter(parts);
    this.#digests = new DigestSender({ ...parts, config });
    this.#sessionReader = new LongSessionReader(options);
    this.#windowReader = new WindowRuleReader(options, alertState.evaluated);
    this.#tick();
  }

  /**
   * Receives loops that began, continued or ended; updates may repeat. Resolves once they were evaluated;
   * never rejects.
   */
  onLoops(updates: readonly LoopUpdate[]): Promise<void> {
    this.#received = { ...this.#received, loops: [...this.#received.loops, ...updates] };
    return this.#requestEvaluation();
  }

  /** The same for storms. The updates of a storm must precede those of its loops. */
  onStorms(storms: readonly StormRecord[]): Promise<void> {
    this.#received = { ...this.#received, storms: [...this.#received.storms, ...storms] };
    return this.#requestEvaluation();
  }

  /**
   * Removes sessions that are already deleted from the store, or only counts the affected records.
   *
   * @returns the number of records
   */
  async purge(selection: AlertPurgeSelection, mode: 'count' | 'forget'): Promise<number> {
    if (mode === 'count') return purgeAlertState(this.#repository.state, selection).records;
    const { isPurgedLoop } = createPurgeMatcher(selection);
    const loops = this.#received.loops.filter((update) => !isPurgedLoop(update));
    this.#received = { ...this.#received, loops };
    // A pending read may have started before the sessions were deleted, so another one follows it.
    await this.#sessionReader.settled();
    await this.#sessionReader.read();
    await this.#events.settled();
    let records = 0;
    await this.#repository.update((alertState) => {
      const purged = purgeAlertState(alertState, selection);
      records = purged.records;
      return purged.alertState;
    }, 'rewrite');
    this.#options.publish();
    return records;
  }

  /** Ends within three seconds; pending notifications are sent after the next start. */
  async close(): Promise<void> {
    this.#isClosed = true;
    this.#cancelTick();
    await this.#repository.settled();
    await this.#dispatcher.close();
    await this.#resender.settled();
    const parts = [this.#sessionReader, this.#windowReader, this.#digests, this.#events];
    await Promise.all(parts.map((each) => each.settled()));
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
    if (hasElapsed(this.#lastReloadMs, { nowMs: this.#now(), ms: this.#timing.reloadMs })) {
      this.#lastReloadMs = this.#now();
      void this.#reload();
    }
    void this.#readWindows();
    this.#digests.send();
    if (hasElapsed(this.#lastResentMs, { nowMs: this.#now(), ms: ALERTMANAGER_RESEND_MS })) {
      this.#lastResentMs = this.#now();
      this.#resender.resend(this.#repository.state, this.#now());
    }
    void this.#requestEvaluation();
    this.#cancelTick = this.#options.clock.schedule(this.#timing.tickMs, () => this.#tick());
  }

  async #readWindows(): Promise<void> {
    const steps = await this.#windowReader.read();
    if (steps.length === 0) return;
    this.#received = { ...this.#received, windows: [...this.#received.windows, ...steps] };
    await this.#requestEvaluation();
  }

  async #reload(): Promise<void> {
    const { config, publish } = this.#options;
    if (await config.reload?.(this.#now())) publish();
  }

  /** Requests share the evaluation that has not started yet. */
  #requestEvaluation(): Promise<void> {
    if (this.#isClosed) return Promise.resolve();
    this.#evaluation ??= this.#evaluate();
    return this.#evaluation;
  }

  async #evaluate(): Promise<void> {
    let received = this.#received;
    let isVisible = false;
    const hasAdvanced = await this.#repository.tryUpdate((alertState) => {
      this.#evaluation = undefined;
      received = this.#received;
      const next = this.#advance(alertState, received);
      isVisible = next.isVisible;
      return next;
    });
    if (!hasAdvanced) return;
    const evaluated = new Set<object>([...received.loops, ...received.storms, ...received.windows]);
    this.#received = {
      loops: this.#received.loops.filter((update) => !evaluated.has(update)),
      storms: this.#received.storms.filter((storm) => !evaluated.has(storm)),
      windows: this.#received.windows.filter((step) => !evaluated.has(step)),
    };
    if (isVisible) this.#options.publish();
    this.#dispatcher.deliver();
    this.#events.write();
  }

  #advance(
    alertState: AlertState,
    received: ReceivedUpdates,
  ): { alertState: AlertState; durable: boolean; isVisible: boolean } {
    const nowMs = this.#now();
    const { rules, receivers, routing } = this.#options.config;
    const next = advanceAlertState(
      addUpdates(alertState, received, nowMs),
      {
        rules,
        routing,
        receivers: receivers.map(({ name }) => name),
        sessions: this.#sessionReader.sessions,
        windows: received.windows,
      },
      nowMs,
    );
    const isStale =
      hasElapsed(this.#lastWrittenMs, { nowMs, ms: MAX_SEEN_AGE_MS }) &&
      next.state.alertSet.alerts.length > 0;
    const hasEnded = [...received.loops, ...received.storms].some(({ state }) => state === 'over');
    const durable = next.hasChanges || isStale || hasEnded;
    if (durable) this.#lastWrittenMs = nowMs;
    return { alertState: next.state, durable, isVisible: next.isVisible };
  }
}
