// What the API asks of alerts: lists, silences, acknowledgements, test notifications and backtests. Each change is on
// disk when it resolves; the worker evaluates and sends.

import { randomBytes } from 'node:crypto';
import type { AlertBacktestResponse } from '../../contract/alert-backtest.ts';
import type {
  AcknowledgementBody,
  AlertDeliveriesResponse,
  AlertsResponse,
  AlertTestResponse,
  SilenceBody,
  SilenceRow,
  SilencesResponse,
} from '../../contract/alerts.ts';
import { acknowledgeAlert } from './acknowledge-alert.ts';
import { toAlertsResponse, toDeliveriesResponse, toSilenceRow } from './alert-responses.ts';
import type { AlertStateRepository } from './alert-state-repository.ts';
import type { AlertsOptions } from './alerts-options.ts';
import { type BacktestRequest, backtestStoredCalls } from './metrics/backtest-stored-calls.ts';
import { addDelivery } from './outbox.ts';
import type { Notify } from './receivers/notify.ts';
import { createTestDelivery, createTestMessage, findReceiver } from './receivers/test-notification.ts';
import { addSilence, createSilence, endSilence } from './silence.ts';

export interface AlertRequestsOptions
  extends Pick<AlertsOptions, 'config' | 'windowSource' | 'clock' | 'publish'> {
  readonly repository: AlertStateRepository;
  readonly notify: Notify;
  /** Aborts the pending requests. */
  readonly abort: AbortController;
  readonly requestEvaluation: () => Promise<void>;
}

export class AlertRequests {
  readonly #options: AlertRequestsOptions;

  constructor(options: AlertRequestsOptions) {
    this.#options = options;
  }

  list(): AlertsResponse {
    return toAlertsResponse(this.#options.repository.state, this.#options.config, this.#now());
  }

  backtest(request: BacktestRequest): Promise<AlertBacktestResponse> {
    const { windowSource, config } = this.#options;
    return backtestStoredCalls(request, { windowSource, rules: config.rules, nowMs: this.#now() });
  }

  deliveries(): AlertDeliveriesResponse {
    return toDeliveriesResponse(this.#options.repository.state.outbox);
  }

  silences(): SilencesResponse {
    return {
      silences: this.#options.repository.state.silences.map((silence) => toSilenceRow(silence, this.#now())),
    };
  }

  /** Resolves when it is on disk. */
  async addSilence(body: SilenceBody): Promise<SilenceRow> {
    const silence = createSilence(body, this.#now());
    await this.#options.repository.update((alertState) => ({
      ...alertState,
      silences: addSilence(alertState.silences, silence),
    }));
    this.#options.publish();
    return toSilenceRow(silence, silence.createdMs);
  }

  /** @throws UserError NOT_FOUND */
  async endSilence(id: string): Promise<void> {
    await this.#options.repository.update((alertState) => ({
      ...alertState,
      silences: endSilence(alertState.silences, id, this.#now()),
    }));
    this.#options.publish();
    await this.#options.requestEvaluation();
  }

  /** @throws UserError NOT_FOUND if no such alert is pending or firing */
  async acknowledge(body: AcknowledgementBody): Promise<void> {
    await this.#options.repository.update((alertState) => acknowledgeAlert(alertState, body, this.#now()));
    this.#options.publish();
  }

  /**
   * Sends one test notification to one receiver, once.
   *
   * @throws UserError INVALID_BODY
   */
  async test(name: string): Promise<AlertTestResponse> {
    const receiver = findReceiver(this.#options.config.receivers, name);
    const id = randomBytes(16).toString('hex');
    const message = createTestMessage(name, this.#now());
    const result = await this.#options.notify(receiver, { id, message, signal: this.#options.abort.signal });
    const delivery = createTestDelivery({ id, message, result, endedMs: this.#now() });
    await this.#options.repository.updateInMemory((alertState) => ({
      ...alertState,
      outbox: addDelivery(alertState.outbox, delivery),
    }));
    return { status: delivery.status, httpStatus: delivery.httpStatus, reason: delivery.reason };
  }

  #now(): number {
    return this.#options.clock.now();
  }
}
