// Connects the alerts to the store: reads long sessions and stores state changes.

import type { Logger } from 'pino';
import type { AlertsResponse } from '../../contract/alerts.ts';
import { SYSTEM_CLOCK } from '../../segment-log/clock.ts';
import { NODE_FILE_SYSTEM } from '../../segment-log/file-system.ts';
import { type LongSession, SESSION_TIMEOUT_MS } from '../alerts/alert-candidates.ts';
import type { SessionOverCallsRule } from '../alerts/alert-rule.ts';
import { type Alerts, startAlerts } from '../alerts/alerts-worker.ts';
import { resolveHostname } from '../alerts/check-target.ts';
import { loadAlertConfig } from '../alerts/load-alert-config.ts';
import type { AlertsService } from '../api/alerts-service.ts';
import { readEnvironment } from '../config/read-environment.ts';
import type { Config } from '../config/settings.ts';
import { getAlertEvents } from '../queries/overview/alert-events.ts';
import type { FiringAlert, QueryContext } from '../queries/query/query-context.ts';
import { getSessions } from '../queries/sessions/sessions.ts';
import { createBatchSink } from '../store/insert-batch.ts';
import type { Store } from '../store/store.ts';

/** The alerts, with what the API asks of them. */
export type AlertsModule = Alerts & AlertsService;

export interface AlertsModuleOptions {
  readonly store: Store;
  /** Where people on this machine reach the dashboard. */
  readonly url: string;
  readonly publish: () => void;
  readonly log: Logger;
}

const MAX_SESSIONS = 1_000;

/** @throws UserError INVALID_SETTING for a rules file that cannot be used */
export async function openAlertsModule(config: Config, options: AlertsModuleOptions): Promise<AlertsModule> {
  const { dataDirectory, alertsFile, retentionDays } = config;
  const { store, ...rest } = options;
  const sink = createBatchSink(store);
  const alerts = await startAlerts({
    ...rest,
    config: loadAlertConfig({ explicitPath: alertsFile, dataDirectory, environment: readEnvironment() }),
    dataDirectory,
    fileSystem: NODE_FILE_SYSTEM,
    clock: SYSTEM_CLOCK,
    resolveHostname: resolveHostname,
    readSessions: (rule) => readLongSessions(rule, { store, nowMs: Date.now(), rawDays: retentionDays }),
    storeEvents: (rows, token) => storeEvents(sink, { rows, token, log: options.log }),
  });
  return {
    onLoops: (notices) => alerts.onLoops(notices),
    onStorms: (storms) => alerts.onStorms(storms),
    list: () => alerts.list(),
    deliveries: () => alerts.deliveries(),
    silences: () => alerts.silences(),
    addSilence: (body) => alerts.addSilence(body),
    endSilence: (id) => alerts.endSilence(id),
    test: (receiver) => alerts.test(receiver),
    purge: (selection, mode) => alerts.purge(selection, mode),
    close: () => alerts.close(),
    events: (query) => getAlertEvents(query, store),
  };
}

/** As the verdict names them: those that fire and are not silenced. */
export function listFiringAlerts({ rules, alerts }: AlertsResponse): FiringAlert[] {
  const kinds = new Map(rules.map(({ id, kind }) => [id, kind]));
  return alerts.flatMap(({ ruleId, state, labels, silencedBy, server, tools, sentence }) => {
    const kind = kinds.get(ruleId);
    if (state !== 'firing' || silencedBy.length > 0 || kind === undefined) return [];
    const { environment = '', client = '' } = labels;
    return [{ rule: ruleId, kind, server, environment, client, tools, sentence }];
  });
}

/** A session row has no environment, so a rule with several environments takes one query for each. */
async function readLongSessions(
  rule: SessionOverCallsRule,
  context: QueryContext,
): Promise<readonly LongSession[]> {
  const { match, calls } = rule;
  const environments = match.environment.length > 0 ? match.environment : [undefined];
  const pages = environments.map(async (environment) => {
    const range = { fromMs: context.nowMs - SESSION_TIMEOUT_MS, toMs: context.nowMs };
    const { sessions } = await getSessions(
      { range, minCalls: calls + 1, order: 'calls', limit: MAX_SESSIONS, environment },
      context,
    );
    return sessions.map(
      ({ source, ...session }): LongSession => ({
        ...session,
        sessionSource: source,
        environment: environment ?? '',
      }),
    );
  });
  return (await Promise.all(pages)).flat();
}

/** @returns whether the store has them now, or will never take them; then there is nothing left to do either */
async function storeEvents(
  sink: ReturnType<typeof createBatchSink>,
  { rows, token, log }: { readonly rows: Uint8Array; readonly token: string; readonly log: Logger },
): Promise<boolean> {
  const result = await sink.insert({ token, tables: [{ table: 'alert_events', rows }] });
  if (result.status === 'refused') log.error({ reason: result.reason }, 'alert events were refused');
  return result.status !== 'retryable';
}
