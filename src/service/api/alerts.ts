// `/api/v1/alerts…`: rules, alerts, silences and deliveries. Rules are changed only in their file; silences
// can be changed here.

import { json, Router } from 'express';
import type { z } from 'zod';
import {
  AlertDeliveriesResponse,
  AlertEventsQuery,
  AlertEventsResponse,
  AlertsResponse,
  AlertTestBody,
  AlertTestResponse,
  NoQuery,
  SilenceBody,
  SilenceRow,
  SilencesResponse,
} from '../../contract/alerts.ts';
import type { AlertsService } from './alerts-service.ts';
import { parseJsonBody } from './parse-json-body.ts';
import { parseQuery, resolveTimeRange } from './parse-query.ts';

export interface AlertRoutesContext {
  /** Throws UpstreamError NOT_READY until the service is ready. */
  readonly alerts: () => AlertsService;
  readonly now: () => number;
}

interface AlertResource {
  readonly path: string;
  readonly name: string;
  readonly summary: string;
  readonly query: z.ZodObject;
  readonly responseSchema: z.ZodType;
  readonly handler: (
    asker: { readonly alerts: AlertsService; readonly nowMs: number },
    raw: unknown,
  ) => unknown;
}

/** What can be read. */
export const ALERT_RESOURCES: readonly AlertResource[] = [
  {
    path: '/api/v1/alerts',
    name: 'alerts',
    summary: 'The rules, their alerts with states and evidence, and the receivers.',
    query: NoQuery,
    responseSchema: AlertsResponse,
    handler: ({ alerts }, raw) => parseQuery(NoQuery, raw) && alerts.list(),
  },
  {
    path: '/api/v1/alerts/events',
    name: 'alertEvents',
    summary: 'Changes of state in a range, newest first.',
    query: AlertEventsQuery,
    responseSchema: AlertEventsResponse,
    handler: ({ alerts, nowMs }, raw) =>
      alerts.events(resolveTimeRange(parseQuery(AlertEventsQuery, raw), nowMs)),
  },
  {
    path: '/api/v1/alerts/deliveries',
    name: 'alertDeliveries',
    summary: 'What waits to be told, and what became of the last messages.',
    query: NoQuery,
    responseSchema: AlertDeliveriesResponse,
    handler: ({ alerts }, raw) => parseQuery(NoQuery, raw) && alerts.deliveries(),
  },
  {
    path: '/api/v1/alerts/silences',
    name: 'silences',
    summary: 'Silences that hold, and those that ended within a day.',
    query: NoQuery,
    responseSchema: SilencesResponse,
    handler: ({ alerts }, raw) => parseQuery(NoQuery, raw) && alerts.silences(),
  },
];

/** What changes something; the OpenAPI document is made from it too. */
export const ALERT_ACTIONS = {
  addSilence: {
    method: 'post',
    path: '/api/v1/alerts/silences',
    name: 'addSilence',
    summary: 'Holds back new messages for alerts with these labels, for a time.',
    body: SilenceBody,
    status: 201,
    responseSchema: SilenceRow,
  },
  endSilence: {
    method: 'delete',
    path: '/api/v1/alerts/silences/:id',
    name: 'endSilence',
    summary: 'Ends a silence now.',
    body: undefined,
    status: 204,
    responseSchema: undefined,
  },
  test: {
    method: 'post',
    path: '/api/v1/alerts/test',
    name: 'testAlert',
    summary: 'Sends a test message to one receiver, once, and says what became of it.',
    body: AlertTestBody,
    status: 200,
    responseSchema: AlertTestResponse,
  },
} as const;

export function createAlertsRouter({ alerts, now }: AlertRoutesContext): Router {
  const router = Router();
  const { addSilence, endSilence, test } = ALERT_ACTIONS;
  const body = json({ limit: '16kb' });
  for (const resource of ALERT_RESOURCES) {
    router.get(resource.path, async function getAlerts(req, res) {
      const answer = await resource.handler({ alerts: alerts(), nowMs: now() }, req.query);
      res.set('Cache-Control', 'no-store').json(answer);
    });
  }
  router.post(addSilence.path, body, async function postSilence(req, res) {
    const silence = await alerts().addSilence(parseJsonBody(SilenceBody, req.body));
    res.set('Cache-Control', 'no-store').status(addSilence.status).json(silence);
  });
  router.delete(endSilence.path, async function deleteSilence(req, res) {
    await alerts().endSilence(String(req.params['id']));
    res.status(endSilence.status).end();
  });
  router.post(test.path, body, async function postTest(req, res) {
    const { receiver } = parseJsonBody(AlertTestBody, req.body);
    res.set('Cache-Control', 'no-store').json(await alerts().test(receiver));
  });
  return router;
}
