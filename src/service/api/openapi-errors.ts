// Descriptions of the error responses in the OpenAPI document.

import type { RouteConfig } from '@asteasolutions/zod-to-openapi';
import { ErrorResponse } from '../../contract/error-response.ts';

const ERROR_DESCRIPTIONS: Readonly<Record<number, string>> = {
  400: 'A parameter or the body is not allowed; the message names it, what was given and what is allowed.',
  401: 'A token is set, and the request carries none or another one.',
  403: 'The Host or the Origin header is not one of this service, or the token may only send spans.',
  404: 'Nothing of that name is known.',
  408: 'The body took too long to arrive.',
  409: 'Two servers have a session of that id; name the server.',
  429: 'Too many wrong tokens came from this address; Retry-After says when to try again.',
  502: 'The store refused the question.',
  503: 'The service or its store is not ready, or too much is asked at once; Retry-After says when to try again.',
  504: 'The question took the store longer than it may.',
};

/** @returns the responses of these statuses, each with the one body that all refusals have */
export function toErrorResponses(statuses: readonly number[]): RouteConfig['responses'] {
  return Object.fromEntries(
    statuses.map((status) => [
      String(status),
      {
        description: ERROR_DESCRIPTIONS[status] ?? '',
        content: { 'application/json': { schema: ErrorResponse } },
      },
    ]),
  );
}
