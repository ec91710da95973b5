// An MCP server over Streamable HTTP with sessions: one transport and one observed server for each session.
// `sessionId` and `principal` are not needed here: sessions come from the protocol, and there is no login.
//
//   PORT=3000 npx tsx examples/http-server.ts

import { randomUUID } from 'node:crypto';
import { createServer } from 'node:http';
import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js';
import { StreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/streamableHttp.js';
import { observe } from 'toolscope';
import { z } from 'zod';

const transports = new Map<string, StreamableHTTPServerTransport>();

async function openSession(): Promise<StreamableHTTPServerTransport> {
  const server = observe(new McpServer({ name: 'weather-http', version: '1.0.0' }), {
    environment: 'production',
  });
  server.registerTool(
    'get_forecast',
    { description: 'Returns the forecast of a city.', inputSchema: { city: z.string() } },
    async ({ city }) => ({ content: [{ type: 'text', text: `Sunny in ${city}.` }] }),
  );
  const transport = new StreamableHTTPServerTransport({
    sessionIdGenerator: randomUUID,
    onsessioninitialized: (id) => void transports.set(id, transport),
    onsessionclosed: (id) => void transports.delete(id),
  });
  // The type of this SDK's transport does not match its own interface under exactOptionalPropertyTypes.
  await server.connect(transport as Parameters<McpServer['connect']>[0]);
  return transport;
}

const http = createServer(async (request, response) => {
  const known = transports.get(String(request.headers['mcp-session-id']));
  await (known ?? (await openSession())).handleRequest(request, response);
});

http.listen(Number(process.env['PORT'] ?? 3000), '127.0.0.1', () => {
  const address = http.address();
  const port = typeof address === 'object' ? address?.port : address;
  process.stdout.write(`Listening on http://127.0.0.1:${port}/mcp\n`);
});
