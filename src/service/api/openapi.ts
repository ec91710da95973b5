// The contract as an OpenAPI 3.1 document, generated from the zod schemas that parse the queries. The
// generator is loaded on first use, because the dashboard does not need it.

import type { RouteConfig } from '@asteasolutions/zod-to-openapi';
import { Router } from 'express';
import { z } from 'zod';
import { ACTIONS, type Action, API_PATH, RESOURCES, type Resource } from '../../contract/resources.ts';
import { EXPORT_FORMATS } from './calls-export.ts';
import { toErrorResponses } from './openapi-errors.ts';
import { NON_RESOURCE_ROUTES, OPENAPI_PATH } from './openapi-routes.ts';

const COMMON_ERROR_STATUSES = [400, 401, 403, 429, 502, 503, 504];

const IdParameter = z.object({ id: z.string() });

function toDocumentedPath(path: string): string {
  return (API_PATH + path).replace(/:(\w+)/g, '{$1}');
}

function toResourceRoute([name, resource]: [string, Resource]): RouteConfig {
  const { path, summary, query, response, errorStatuses = [] } = resource;
  const exports = Object.keys(EXPORT_FORMATS).map((type) => [type, { schema: { type: 'string' } }]);
  return {
    method: 'get',
    path: toDocumentedPath(path),
    operationId: name,
    summary,
    request: { query, ...(path.includes(':id') && { params: IdParameter }) },
    responses: {
      200: {
        description: 'The response.',
        content: {
          'application/json': { schema: response },
          ...(path === RESOURCES.calls.path && Object.fromEntries(exports)),
        },
      },
      ...toErrorResponses([...COMMON_ERROR_STATUSES, ...errorStatuses]),
    },
  };
}

function toActionRoute([name, action]: [string, Action]): RouteConfig {
  const { method, path, summary, body, status, response } = action;
  const hasId = path.includes(':id');
  return {
    method,
    path: toDocumentedPath(path),
    operationId: name,
    summary,
    request: {
      ...(hasId && { params: IdParameter }),
      ...(body && { body: { required: true, content: { 'application/json': { schema: body } } } }),
    },
    responses: {
      [status]: {
        description: 'Done.',
        ...(response && { content: { 'application/json': { schema: response } } }),
      },
      ...toErrorResponses([...(body ? [400] : []), 401, 403, ...(hasId ? [404] : []), 429, 503]),
    },
  };
}

/** @param version of the package */
async function createDocument(version: string): Promise<object> {
  const { OpenAPIRegistry, OpenApiGeneratorV31 } = await import('@asteasolutions/zod-to-openapi');
  const registry = new OpenAPIRegistry();
  registry.registerComponent('securitySchemes', 'token', { type: 'http', scheme: 'bearer' });
  const routes = [
    ...Object.entries<Resource>(RESOURCES).map(toResourceRoute),
    ...Object.entries<Action>(ACTIONS).map(toActionRoute),
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
