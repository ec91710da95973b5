// The contract as an OpenAPI 3.1 document, made from the same zod schemas that read the queries. The generator is
// loaded when somebody first asks: nobody who only looks at the dashboard needs it.

import type { RouteConfig } from '@asteasolutions/zod-to-openapi';
import { Router } from 'express';
import { z } from 'zod';
import { ALERT_ACTIONS, ALERT_RESOURCES } from './alerts.ts';
import { CALLS, EXPORT_FORMATS } from './calls.ts';
import { NOTE_ACTIONS } from './notes.ts';
import { toRefusals } from './openapi-refusals.ts';
import { OPENAPI_PATH, PLAIN_ROUTES } from './openapi-routes.ts';
import type { Resource } from './resource.ts';
import { RESOURCES } from './resources.ts';
import { UPKEEP_ACTIONS } from './upkeep.ts';

const COMMON_REFUSALS = [400, 401, 403, 429, 502, 503, 504];

type Documented = Pick<Resource, 'path' | 'name' | 'summary' | 'query' | 'answer' | 'refusals'>;

function toRoute({ path, name, summary, query, answer, refusals = [] }: Documented): RouteConfig {
  const hasId = path.includes('/:id');
  const exports = Object.keys(EXPORT_FORMATS).map((type) => [type, { schema: { type: 'string' } }]);
  return {
    method: 'get',
    path: path.replace(/:(\w+)/g, '{$1}'),
    operationId: name,
    summary,
    request: { query, ...(hasId && { params: z.object({ id: z.string() }) }) },
    responses: {
      200: {
        description: 'The answer.',
        content: {
          'application/json': { schema: answer },
          ...(path === CALLS.path ? Object.fromEntries(exports) : {}),
        },
      },
      ...toRefusals([...COMMON_REFUSALS, ...refusals]),
    },
  };
}

const ACTIONS = { ...ALERT_ACTIONS, ...UPKEEP_ACTIONS, ...NOTE_ACTIONS };

type Action = (typeof ACTIONS)[keyof typeof ACTIONS];

function toActionRoute({ method, path, name, summary, body, status, answer }: Action): RouteConfig {
  const hasId = path.includes('/:id');
  return {
    method,
    path: path.replace(/:(\w+)/g, '{$1}'),
    operationId: name,
    summary,
    request: {
      ...(hasId && { params: z.object({ id: z.string() }) }),
      ...(body && { body: { required: true, content: { 'application/json': { schema: body } } } }),
    },
    responses: {
      [status]: {
        description: 'Done.',
        ...(answer && { content: { 'application/json': { schema: answer } } }),
      },
      ...toRefusals([...(body || !hasId ? [400] : []), 401, 403, ...(hasId ? [404] : []), 429, 503]),
    },
  };
}

/**
 * Writes the document.
 *
 * @param version of the package
 */
async function createDocument(version: string): Promise<object> {
  const { OpenAPIRegistry, OpenApiGeneratorV31 } = await import('@asteasolutions/zod-to-openapi');
  const registry = new OpenAPIRegistry();
  registry.registerComponent('securitySchemes', 'token', { type: 'http', scheme: 'bearer' });
  const routes = [
    ...[...RESOURCES, CALLS, ...ALERT_RESOURCES].map(toRoute),
    ...Object.values(ACTIONS).map(toActionRoute),
    ...PLAIN_ROUTES,
  ];
  for (const route of routes) registry.registerPath(route);
  return new OpenApiGeneratorV31(registry.definitions).generateDocument({
    openapi: '3.1.0',
    info: { title: 'Toolscope', version, license: { name: 'MIT', identifier: 'MIT' } },
    // An empty object beside the token: without a token set, nothing is asked for.
    security: [{ token: [] }, {}],
  });
}

export function createOpenApiRouter(version: string): Router {
  const router = Router();
  let document: Promise<object> | undefined;
  router.get(OPENAPI_PATH, async function answerOpenApi(_req, res) {
    document ??= createDocument(version);
    res.json(await document);
  });
  return router;
}
