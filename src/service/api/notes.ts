// What people write down beside the figures: that advice is put aside, and why; that something happened at a time. Whoever may
// read may write these; a token that is set has been asked for before this.

import { json, Router } from 'express';
import { DismissBody } from '../../contract/advice.ts';
import { AnnotationBody, AnnotationRow } from '../../contract/changes.ts';
import type { Questions } from './questions-port.ts';
import { readJsonBody } from './read-json-body.ts';

export interface NotesContext {
  /** Throws UpstreamError NOT_READY while there is nobody to ask. */
  readonly questions: () => Questions;
}

/** The OpenAPI document is made from it too. */
export const NOTE_ACTIONS = {
  dismissAdvice: {
    method: 'post',
    path: '/api/v1/advice/:id/dismiss',
    name: 'dismissAdvice',
    summary: 'Puts a piece of advice aside, with a reason.',
    body: DismissBody,
    status: 204,
    answer: undefined,
  },
  restoreAdvice: {
    method: 'delete',
    path: '/api/v1/advice/:id/dismiss',
    name: 'restoreAdvice',
    summary: 'Takes the dismissal of a piece of advice back.',
    body: undefined,
    status: 204,
    answer: undefined,
  },
  addAnnotation: {
    method: 'post',
    path: '/api/v1/annotations',
    name: 'addAnnotation',
    summary: 'Sets a mark in time: a deploy, an incident, a note.',
    body: AnnotationBody,
    status: 201,
    answer: AnnotationRow,
  },
  removeAnnotation: {
    method: 'delete',
    path: '/api/v1/annotations/:id',
    name: 'removeAnnotation',
    summary: 'Takes a mark back.',
    body: undefined,
    status: 204,
    answer: undefined,
  },
} as const;

export function createNotesRouter({ questions }: NotesContext): Router {
  const router = Router();
  const { dismissAdvice, restoreAdvice, addAnnotation, removeAnnotation } = NOTE_ACTIONS;
  const body = json({ limit: '16kb' });
  router.post(dismissAdvice.path, body, async function answerDismiss(req, res) {
    const { reason } = readJsonBody(DismissBody, req.body);
    await questions().dismissAdvice(String(req.params['id'] ?? ''), reason);
    res.sendStatus(dismissAdvice.status);
  });
  router.delete(restoreAdvice.path, async function answerRestore(req, res) {
    await questions().dismissAdvice(String(req.params['id'] ?? ''), undefined);
    res.sendStatus(restoreAdvice.status);
  });
  router.post(addAnnotation.path, body, async function answerAnnotate(req, res) {
    const row = await questions().addAnnotation(readJsonBody(AnnotationBody, req.body));
    res.status(addAnnotation.status).json(row);
  });
  router.delete(removeAnnotation.path, async function answerRemove(req, res) {
    await questions().removeAnnotation(String(req.params['id'] ?? ''));
    res.sendStatus(removeAnnotation.status);
  });
  return router;
}
