// The contract as an OpenAPI 3.1 document, made from the same zod schemas that read the queries. The generator is
// loaded when somebody first asks: nobody who only looks at the dashboard needs it.

import type { RouteConfig } from '@asteasolutions/zod-to-openapi';
import { Router } from 'express';
import { z } from 'zod';
import { CALLS, EXPORT_FORMATS } from './calls.ts';
import { toRefusals } from './openapi-refusals.ts';
import { OPENAPI_PATH, PLAIN_ROUTES } from './openapi-routes.ts';
import type { Resource } from './resource.ts';
import { RESOURCES } from './resources.ts';

const COMMON_REFUSALS = [400, 401, 403, 502, 503, 504];

type Documented = Pick<Resource, 'path' | 'name' | 'summary' | 'query' | 'answer' | 'refusals'>;

function toRoute({ path, name, summary, query, answer, refusals = [] }: Documented): RouteConfig {
  const hasId = path.endsWith('/:id');
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

/**
 * Writes the document.
 *
 * @param version of the package
 */
async function createDocument(version: string): Promise<object> {
  const { OpenAPIRegistry, OpenApiGeneratorV31 } = await import('@asteasolutions/zod-to-openapi');
  const registry = new OpenAPIRegistry();
  registry.registerComponent('securitySchemes', 'token', { type: 'http', scheme: 'bearer' });
  for (const route of [...[...RESOURCES, CALLS].map(toRoute), ...PLAIN_ROUTES]) registry.registerPath(route);
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
