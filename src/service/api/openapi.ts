// The contract as an OpenAPI 3.1 document, generated from the zod schemas that parse the queries. The
// generator is loaded on first use, because the dashboard does not need it.

import type { RouteConfig } from '@asteasolutions/zod-to-openapi';
import { Router } from 'express';
import { z } from 'zod';
import { ALERT_ACTIONS, ALERT_RESOURCES } from './alerts.ts';
import { ANNOTATION_ACTIONS } from './annotations.ts';
import { CALLS_RESOURCE, EXPORT_FORMATS } from './calls.ts';
import { MAINTENANCE_ACTIONS } from './maintenance.ts';
import { toErrorResponses } from './openapi-errors.ts';
import { NON_RESOURCE_ROUTES, OPENAPI_PATH } from './openapi-routes.ts';
import type { Resource } from './resource.ts';
import { RESOURCES } from './resources.ts';

const COMMON_ERROR_STATUSES = [400, 401, 403, 429, 502, 503, 504];

type DocumentedResource = Pick<
  Resource,
  'path' | 'name' | 'summary' | 'query' | 'responseSchema' | 'errorStatuses'
>;

function toRoute({
  path,
  name,
  summary,
  query,
  responseSchema,
  errorStatuses = [],
}: DocumentedResource): RouteConfig {
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
        description: 'The response.',
        content: {
          'application/json': { schema: responseSchema },
          ...(path === CALLS_RESOURCE.path ? Object.fromEntries(exports) : {}),
        },
      },
      ...toErrorResponses([...COMMON_ERROR_STATUSES, ...errorStatuses]),
    },
  };
}

const ACTIONS = { ...ALERT_ACTIONS, ...MAINTENANCE_ACTIONS, ...ANNOTATION_ACTIONS };

type Action = (typeof ACTIONS)[keyof typeof ACTIONS];

function toActionRoute({ method, path, name, summary, body, status, responseSchema }: Action): RouteConfig {
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
        ...(responseSchema && { content: { 'application/json': { schema: responseSchema } } }),
      },
      ...toErrorResponses([...(body || !hasId ? [400] : []), 401, 403, ...(hasId ? [404] : []), 429, 503]),
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
    ...[...RESOURCES, CALLS_RESOURCE, ...ALERT_RESOURCES].map(toRoute),
    ...Object.values(ACTIONS).map(toActionRoute),
    ...NON_RESOURCE_ROUTES,
  ];
  for (const route of routes) registry.registerPath(route);
  return new OpenApiGeneratorV31(registry.definitions).generateDocument({
    openapi: '3.1.0',
    info: { title: 'Toolscope', version, license: { name: 'MIT', identifier: 'MIT' } },
    // The empty object next to the token allows anonymous access when no token is set.
    security: [{ token: [] }, {}],
  });
}

export function createOpenApiRouter(version: string): Router {
  const router = Router();
  let document: Promise<object> | undefined;
  router.get(OPENAPI_PATH, async function sendDocument(_req, res) {
    document ??= createDocument(version);
    res.json(await document);
  });
  return router;
}
