// The notes server on SDK v2, serving the 2026-07-28 protocol: stateless, a fresh server object for each request.

import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { toNodeHandler } from '@modelcontextprotocol/node';
import { createMcpHandler, McpServer } from '@modelcontextprotocol/server';
import { z } from 'zod';
import { observe, shutdown } from '../../index.ts';
import { createNotebook } from './notebook.ts';
import { createNotesTools } from './notes-tools.ts';

const notebook = createNotebook();

function createNotesServer(): McpServer {
  const server = observe(new McpServer({ name: 'notes-modern', version: '3.0.0-rc.1' }));
  for (const { name, description, fields, annotations, run } of createNotesTools(notebook)) {
    server.registerTool(name, { description, inputSchema: z.object(fields), annotations }, run);
  }
  return server;
}

const handle = toNodeHandler(createMcpHandler(createNotesServer));
// An IncomingMessage of a server has a method and a URL; its type says so only of none of the two sides.
const http = createServer(
  (request, response) => void handle(request as Parameters<typeof handle>[0], response),
);
http.listen(0, '127.0.0.1', () => {
  // The port a system picked is an AddressInfo, never a pipe's name.
  process.send?.({ port: (http.address() as AddressInfo).port });
});
// Ends with its parent; what was called in the last half second leaves first.
process.once('disconnect', () => void shutdown().then(() => process.exit(0)));
