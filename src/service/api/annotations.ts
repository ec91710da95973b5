// User annotations: dismissed advice with its reason, and chart annotations. Read access allows writing
// these; the token guard runs before this.

import { json, Router } from 'express';
import { DismissBody } from '../../contract/advice.ts';
import { AnnotationBody, AnnotationRow } from '../../contract/changes.ts';
import type { Queries } from '../../contract/queries.ts';
import { parseJsonBody } from './parse-json-body.ts';

export interface AnnotationRoutesContext {
  /** Throws UpstreamError NOT_READY until the service is ready. */
  readonly queries: () => Queries;
}

/** The OpenAPI document is made from it too. */
export const ANNOTATION_ACTIONS = {
  dismissAdvice: {
    method: 'post',
    path: '/api/v1/advice/:id/dismiss',
    name: 'dismissAdvice',
    summary: 'Puts a piece of advice aside, with a reason.',
    body: DismissBody,
    status: 204,
    responseSchema: undefined,
  },
  restoreAdvice: {
    method: 'delete',
    path: '/api/v1/advice/:id/dismiss',
    name: 'restoreAdvice',
    summary: 'Takes the dismissal of a piece of advice back.',
    body: undefined,
    status: 204,
    responseSchema: undefined,
  },
  addAnnotation: {
    method: 'post',
    path: '/api/v1/annotations',
    name: 'addAnnotation',
    summary: 'Sets a mark in time: a deploy, an incident, a note.',
    body: AnnotationBody,
    status: 201,
    responseSchema: AnnotationRow,
  },
  removeAnnotation: {
    method: 'delete',
    path: '/api/v1/annotations/:id',
    name: 'removeAnnotation',
    summary: 'Takes a mark back.',
    body: undefined,
    status: 204,
    responseSchema: undefined,
  },
} as const;

export function createAnnotationsRouter({ queries }: AnnotationRoutesContext): Router {
  const router = Router();
  const { dismissAdvice, restoreAdvice, addAnnotation, removeAnnotation } = ANNOTATION_ACTIONS;
  const body = json({ limit: '16kb' });
  router.post(dismissAdvice.path, body, async function postDismissal(req, res) {
    const { reason } = parseJsonBody(DismissBody, req.body);
    await queries().dismissAdvice(String(req.params['id'] ?? ''), reason);
    res.sendStatus(dismissAdvice.status);
  });
  router.delete(restoreAdvice.path, async function deleteDismissal(req, res) {
    await queries().dismissAdvice(String(req.params['id'] ?? ''), undefined);
    res.sendStatus(restoreAdvice.status);
  });
  router.post(addAnnotation.path, body, async function postAnnotation(req, res) {
    const row = await queries().addAnnotation(parseJsonBody(AnnotationBody, req.body));
    res.status(addAnnotation.status).json(row);
  });
  router.delete(removeAnnotation.path, async function deleteAnnotation(req, res) {
    await queries().removeAnnotation(String(req.params['id'] ?? ''));
    res.sendStatus(removeAnnotation.status);
  });
  return router;
}
