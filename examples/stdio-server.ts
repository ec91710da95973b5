// An MCP server over stdio, instrumented with one call. Each call of a tool appears in Toolscope within a
// second.
//
//   npx tsx examples/stdio-server.ts        (started by an MCP client; TOOLSCOPE_ENDPOINT names the service)

import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js';
import { StdioServerTransport } from '@modelcontextprotocol/sdk/server/stdio.js';
import { observe } from 'toolscope';
import { z } from 'zod';

const server = observe(new McpServer({ name: 'weather', version: '1.0.0' }));

server.registerTool(
  'get_forecast',
  { description: 'Returns the forecast of a city.', inputSchema: { city: z.string() } },
  async ({ city }) => ({ content: [{ type: 'text', text: `Sunny in ${city}.` }] }),
);

await server.connect(new StdioServerTransport());
