// A client that starts a server of another author, in any language, through `toolscope wrap`. The server is
// not changed. In the configuration of an MCP client the same line is:
//
//   "everything": { "command": "toolscope", "args": ["wrap", "--name", "everything", "--", "npx", "-y", "…"] }
//
//   npx tsx examples/wrapped-server.ts

import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';

const { PATH = '', HOME = '', TOOLSCOPE_ENDPOINT } = process.env;

const transport = new StdioClientTransport({
  command: 'toolscope',
  args: ['wrap', '--name', 'everything', '--', 'npx', '-y', '@modelcontextprotocol/server-everything'],
  env: { PATH, HOME, ...(TOOLSCOPE_ENDPOINT !== undefined && { TOOLSCOPE_ENDPOINT }) },
});

const client = new Client({ name: 'example-client', version: '1.0.0' });
await client.connect(transport);
const result = await client.callTool({ name: 'echo', arguments: { message: 'hello' } });
process.stdout.write(`${JSON.stringify(result.content)}\n`);
await client.close();
