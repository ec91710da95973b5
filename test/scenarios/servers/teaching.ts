// A server with one tool for each thing that calls teach about a design, and the sessions of the agents that meet them. Started by
// itself it serves stdio.

import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js';
import { StdioServerTransport } from '@modelcontextprotocol/sdk/server/stdio.js';
import type { CallToolResult } from '@modelcontextprotocol/sdk/types.js';
import { z } from 'zod';

/** Other arguments are dropped, as most servers do. */
const INPUT = {
  id: z.union([z.number(), z.string()]).optional(),
  version: z.number().optional(),
  idempotency_key: z.string().optional(),
};

type Sent = Readonly<Record<string, unknown>>;

const text = (value: unknown): CallToolResult => ({
  content: [{ type: 'text', text: typeof value === 'string' ? value : JSON.stringify(value) }],
});
const error = (fields: object): CallToolResult => ({ ...text({ error: fields }), isError: true });
const rows = (length: number) => Array.from({ length }, () => 1);

interface ScriptedTool {
  readonly answer: (sent: Sent) => CallToolResult;
  readonly description?: string;
  readonly annotations?: object;
}

function createTools(): Readonly<Record<string, ScriptedTool>> {
  let version = 7;
  let made = 0;
  return {
    lock_note: {
      answer: () => error({ code: 'NOTE_LOCKED', message: 'Locked.', recovery: 'Wait.', retryable: true }),
    },
    unlock_note: { answer: () => error({ code: 'NOTE_LOCKED', message: 'Locked.' }) },
    import_notes: { answer: () => text({ succeeded: 8, failed: 2 }) },
    get_note: { answer: () => text({ version }) },
    edit_note: {
      answer: (sent) => {
        if (sent['version'] !== version)
          return error({ code: 'VERSION_CONFLICT', message: 'It has changed.' });
        version += 1;
        return text('Saved.');
      },
    },
    delete_dns_record: {
      answer: () => error({ code: 'RECORD_UNKNOWN', message: 'No.', recovery: "use 'list_dns_records'" }),
    },
    list_dns_records: { answer: () => text('Done.') },
    search_users: { answer: ({ id }) => text({ items: [{ id: `usr_${toDigits(id)}` }] }) },
    get_user: { answer: () => text('Ada.') },
    freeze_note: { answer: () => error({ code: 'NOTE_FROZEN', message: 'No.', retryable: false }) },
    send_note: { answer: () => error({ code: 'BUSY', message: 'No.', retry_after: 60 }) },
    make_note: { answer: () => text(`Note ${++made}.`) },
    list_notes: { answer: () => text({ notes: rows(150) }) },
    find_stock: { answer: () => text('Three.') },
    find_stock_v2: { answer: () => text('Three.') },
    count_notes: {
      description: 'Counts the notes.',
      annotations: { readOnlyHint: false, idempotentHint: false, destructiveHint: false },
      answer: () => text(`${++made} notes.`),
    },
    read_clock: {
      description: 'Reads the clock. Fails with CLOCK_STOPPED or CLOCK_UNKNOWN.',
      answer: () => error({ code: 'CLOCK_BROKEN', message: 'No.' }),
    },
  };
}

function toDigits(id: unknown): string {
  return String(81_726_300 + Number(id));
}

export function createTeachingServer(name: string): McpServer {
  const server = new McpServer({ name, version: '1.0.0' });
  for (const [tool, { answer, ...definition }] of Object.entries(createTools())) {
    const { description = `${tool} of this server`, annotations = {} } = definition;
    server.registerTool(tool, { description, inputSchema: INPUT, annotations }, async (sent) => answer(sent));
  }
  return server;
}

export type ScriptedCall = readonly [tool: string, args: Sent];

const times = (count: number, tool: string, args: Sent = {}): ScriptedCall[] =>
  Array.from({ length: count }, () => [tool, args]);

export const SESSIONS = 3;

/** The calls of a session. The versions follow from the script: each success raises it by one. */
export const listCalls = (session: number): readonly ScriptedCall[] => [
  ...times(3, 'lock_note', { id: session }),
  ...times(3, 'unlock_note', { id: session }),
  ...times(3, 'import_notes'),
  ...[7, 8, 9].flatMap((version): ScriptedCall[] => [
    ['edit_note', { id: session, version: 1 }],
    ['get_note', { id: session }],
    ['edit_note', { id: session, version }],
  ]),
  ...times(2, 'edit_note', { id: session, version: 1 }),
  ...times(3, 'find_stock', { id: session }),
  ...[1, 2].flatMap((): ScriptedCall[] => [
    ['delete_dns_record', { id: session }],
    ['list_dns_records', {}],
    ...times(3, 'find_stock_v2', { id: session }),
  ]),
  ['search_users', { id: 10 * session }],
  ['get_user', { id: `usr_${toDigits(10 * session)}` }],
  ['search_users', { id: 10 * session + 1 }],
  ...times(4, 'freeze_note', { id: session }),
  ...times(2, 'send_note', { id: session }),
  ...times(3, 'make_note', { idempotency_key: `key ${session}` }),
  ...times(7, 'list_notes', { status: 'open' }),
  ...times(2, 'read_clock'),
  ...times(3, 'count_notes'),
];

const [, , mode, name = 'teaching'] = process.argv;
if (mode === '--stdio') await createTeachingServer(name).connect(new StdioServerTransport());
