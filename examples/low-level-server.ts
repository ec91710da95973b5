// A low-level `Server` with its own request handlers. `observe()` takes it like an `McpServer`. The guard
// only records which calls it would refuse.
//
//   npx tsx examples/low-level-server.ts    (started by an MCP client)

import { Server } from '@modelcontextprotocol/sdk/server/index.js';
import { StdioServerTransport } from '@modelcontextprotocol/sdk/server/stdio.js';
import { CallToolRequestSchema, ListToolsRequestSchema } from '@modelcontextprotocol/sdk/types.js';
import { observe } from 'toolscope';

const server = observe(
  new Server({ name: 'weather-low-level', version: '1.0.0' }, { capabilities: { tools: {} } }),
  { guard: { mode: 'observe' } },
);

server.setRequestHandler(ListToolsRequestSchema, async () => ({
  tools: [
    {
      name: 'get_forecast',
      description: 'Returns the forecast of a city.',
      inputSchema: { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] },
    },
  ],
}));

server.setRequestHandler(CallToolRequestSchema, async ({ params }) => {
  const city = params.arguments?.['city'];
  if (typeof city !== 'string')
    return { content: [{ type: 'text', text: 'CITY_MISSING: pass a city.' }], isError: true };
  return { content: [{ type: 'text', text: `Sunny in ${city}.` }] };
});

await server.connect(new StdioServerTransport());
