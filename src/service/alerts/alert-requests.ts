// What the API asks of alerts: lists, silences, acknowledgements, test notifications, retries, previews and backtests. Each change is on
// disk when it resolves; the worker evaluates and sends.

import { randomBytes } from 'node:crypto';
import type { AlertBacktestResponse } from '../../contract/alert-backtest.ts';
import type { PreviewRuleBody, PreviewRuleResponse } from '../../contract/alert-rules.ts';
import type {
  AcknowledgementBody,
  AlertDeliveriesResponse,
  AlertsResponse,
  AlertTestResponse,
  SilenceBody,
  SilenceRow,
  SilencesResponse,
} from '../../contract/alerts.ts';
import { UserError } from '../../errors.ts';
import { acknowledgeAlert } from './acknowledge-alert.ts';
import type { RuleChange } from './alert-records.ts';
import { toAlertsResponse, toDeliveriesResponse, toSilenceRow } from './alert-responses.ts';
import { addRuleChange } from './alert-state.ts';
import type { AlertStateRepository } from './alert-state-repository.ts';
import type { AlertsOptions } from './alerts-options.ts';
import { previewRule } from './editing/preview-rule.ts';
import { type BacktestRequest, backtestStoredCalls } from './metrics/backtest-stored-calls.ts';
import { addDelivery, retryDelivery } from './outbox.ts';
import type { Notify } from './receivers/notify.ts';
import { createTestDelivery, createTestMessage, findReceiver } from './receivers/test-notification.ts';
import { addSilence, createSilence, endSilence } from './silence.ts';

export interface AlertRequestsOptions
  extends Pick<AlertsOptions, 'config' | 'windowSource' | 'clock' | 'publish' | 'url'> {
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

  /** What the receivers of a rule would get. */
  preview(body: PreviewRuleBody): PreviewRuleResponse {
    const { config, url } = this.#options;
    const { receivers, externalUrl = url } = config;
    return previewRule(body, { receivers, externalUrl, nowMs: this.#now() });
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

  /** @throws UserError NOT_FOUND if it was delivered, or a later one is about the same alerts */
  async retryDelivery(id: string): Promise<void> {
    await this.#options.repository.update((alertState) => {
      const outbox = retryDelivery(alertState.outbox, id, this.#now());
      if (outbox) return { ...alertState, outbox };
      throw new UserError('NOT_FOUND', 'No notification of this id can be sent again.', { field: 'id' });
    });
    this.#options.publish();
    await this.#options.requestEvaluation();
  }

  get ruleChanges(): readonly RuleChange[] {
    return this.#options.repository.state.ruleChanges;
  }

  /** Resolves when it is on disk. */
  async recordRuleChange(change: RuleChange): Promise<void> {
    await this.#options.repository.update((alertState) => addRuleChange(alertState, change));
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
