// A server of notes with versions: each edit needs the current one, and `charge_card` has an idempotency key. Started by itself
// it serves stdio.

import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js';
import { StdioServerTransport } from '@modelcontextprotocol/sdk/server/stdio.js';
import { z } from 'zod';

export function createNotes(): McpServer {
  const server = new McpServer({ name: 'versioned', version: '1.0.0' });
  let version = 7;
  server.registerTool('get_note', { inputSchema: { id: z.number() } }, async () => ({
    content: [{ type: 'text', text: JSON.stringify({ version }) }],
  }));
  server.registerTool('edit_note', { inputSchema: { id: z.number(), version: z.number() } }, async (sent) => {
    if (sent.version === version) {
      version += 1;
      return { content: [{ type: 'text', text: 'Saved.' }] };
    }
    const error = { code: 'VERSION_CONFLICT', message: 'The note has changed.' };
    return { content: [{ type: 'text', text: JSON.stringify({ error }) }], isError: true };
  });
  let charges = 0;
  server.registerTool(
    'charge_card',
    { inputSchema: { amount: z.number(), idempotency_key: z.string().optional() } },
    async ({ amount }) => {
      charges += 1;
      const charge = charges;
      // Long enough for a second call to come while the first runs.
      await new Promise((resolve) => setTimeout(resolve, amount));
      const isError = charge === 1;
      return { content: [{ type: 'text', text: isError ? 'DECLINED: No.' : `Charge ${charge}.` }], isError };
    },
  );
  return server;
}

if (process.argv.includes('--stdio')) await createNotes().connect(new StdioServerTransport());
