// The notes server on SDK v1 over stateful Streamable HTTP, with one transport and server per session.

import { randomUUID } from 'node:crypto';
import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js';
import { StreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/streamableHttp.js';
import { observe, shutdown } from '../../index.ts';
import { createNotebook } from './notebook.ts';
import { createNotesTools } from './notes-tools.ts';

const notebook = createNotebook();
const transports = new Map<string, StreamableHTTPServerTransport>();

function createNotesServer(): McpServer {
  const server = observe(new McpServer({ name: 'notes-http', version: '2.0.0' }));
  for (const { name, description, fields, annotations, run } of createNotesTools(notebook)) {
    server.registerTool(name, { description, inputSchema: fields, annotations }, run);
  }
  return server;
}

async function openSession(): Promise<StreamableHTTPServerTransport> {
  const transport = new StreamableHTTPServerTransport({
    sessionIdGenerator: randomUUID,
    onsessioninitialized: (id) => void transports.set(id, transport),
    onsessionclosed: (id) => void transports.delete(id),
  });
  // The SDK's transport declares optional callbacks as `T | undefined`, which its own interface does not
  // allow under exactOptionalPropertyTypes.
  await createNotesServer().connect(transport as Parameters<McpServer['connect']>[0]);
  return transport;
}

function transportOf(
  request: IncomingMessage,
): Promise<StreamableHTTPServerTransport> | StreamableHTTPServerTransport {
  return transports.get(String(request.headers['mcp-session-id'])) ?? openSession();
}

const http = createServer(async (request, response) => {
  await (await transportOf(request)).handleRequest(request, response);
});
http.listen(0, '127.0.0.1', () => {
  // Listening on a TCP port, so the address is an AddressInfo and not the name of a pipe.
  process.send?.({ port: (http.address() as AddressInfo).port });
});
// Ends with its parent, after sending the calls of the last half second.
process.once('disconnect', () => void shutdown().then(() => process.exit(0)));
