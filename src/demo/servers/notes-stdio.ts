// The notes server on SDK v1 over stdio; `observe(server)` is the only line added for Toolscope.

import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js';
import { StdioServerTransport } from '@modelcontextprotocol/sdk/server/stdio.js';
import { observe, shutdown } from '../../index.ts';
import { createNotebook } from './notebook.ts';
import { createNotesTools } from './notes-tools.ts';

const server = observe(new McpServer({ name: 'notes', version: '1.4.2' }));
for (const { name, description, fields, annotations, run } of createNotesTools(createNotebook(98))) {
  server.registerTool(name, { description, inputSchema: fields, annotations }, run);
}
await server.connect(new StdioServerTransport());
// The client has left, so the calls of the last half second can be sent before the process ends.
process.stdin.once('end', () => void shutdown());
