import { type RequestHandler, Router } from 'express';
import type { McpServerOptions } from './create-mcp-server.ts';

/** Requests of tools without large arguments. */
const MAX_REQUEST_BYTES = 256 * 1024;

export interface McpEndpointOptions extends Pick<McpServerOptions, 'onError'> {
  /** Called for each request, because the address of the service is known only when it listens. */
  readonly options: () => Omit<McpServerOptions, 'onError'>;
}

/**
 * `POST /mcp`: MCP over Streamable HTTP, 2025 and 2026 protocols, without sessions. Authentication and the
 * checks of host and origin come before it.
 */
export function createMcpEndpoint(options: McpEndpointOptions): RequestHandler {
  let handler: ReturnType<typeof loadHandler> | undefined;
  return Router().all('/mcp', async function serveMcp(req, res) {
    handler ??= loadHandler(options);
    const handle = await handler;
    await handle(req, res);
  });
}

/** Loaded with the first request: the SDK takes 30 MB, measured, and most services are never asked. */
async function loadHandler({ onError, options }: McpEndpointOptions) {
  const { createMcpHandler } = await import('@modelcontextprotocol/server');
  const { toNodeHandler } = await import('@modelcontextprotocol/node');
  const { createMcpServer } = await import('./create-mcp-server.ts');
  const limits = { onerror: onError, maxRequestBodySize: MAX_REQUEST_BYTES };
  return toNodeHandler(
    createMcpHandler(() => createMcpServer({ ...options(), onError }), limits),
    limits,
  );
}
