// Tickets behind another company's API, which fails for some hours; and a small server of documentation over stdio.

import {
  defineTool,
  refuseUnknown,
  type SimulatedAnswer,
  type SimulatedRequest,
  type SimulatedServer,
  type ToolResult,
  text,
  toFailure,
  toResult,
} from './simulated-server.ts';
import { DOCS_NAME, TICKETS_NAME } from './story.ts';

const SUPPORT_API = 'helpdesk.example.com';
const NEW_TOOLS_VERSION = '1.9.0';

const TICKET_TOOLS = (version: string): readonly object[] => [
  defineTool({
    name: 'search_tickets',
    description: 'Searches tickets by words. Returns ids and titles, newest first.',
    required: { query: text('Words of the title or the messages.') },
    optional: { status: { type: 'string', enum: ['open', 'waiting', 'closed'] } },
  }),
  defineTool({
    name: 'get_ticket',
    description: 'Returns a ticket with its messages.',
    required: { ticket_id: text('From search_tickets.') },
  }),
  defineTool({
    name: 'add_comment',
    description: 'Adds a comment that the customer can read.',
    required: { ticket_id: text('Where to add it.'), body: text('Markdown.') },
    readOnly: false,
  }),
  defineTool({
    name: 'assign_ticket',
    description: 'Assigns a ticket to a colleague.',
    required: { ticket_id: text('Which one.'), assignee: text('Name of the colleague.') },
    readOnly: false,
  }),
  version === NEW_TOOLS_VERSION
    ? defineTool({
        name: 'summarise_ticket',
        description: 'Returns a summary of a long ticket in three sentences.',
        required: { ticket_id: text('Which one.') },
      })
    : defineTool({
        name: 'merge_tickets',
        description: 'Merges one ticket into another.',
        required: { ticket_id: text('Is closed.'), into: text('Is kept.') },
        readOnly: false,
      }),
  defineTool({
    name: 'close_all_tickets',
    description: 'Closes all tickets of a customer.',
    required: { customer_id: text('Whose tickets.') },
    readOnly: false,
  }),
];

const MEDIAN_MS: Readonly<Record<string, number>> = {
  search_tickets: 210,
  get_ticket: 90,
  add_comment: 140,
  assign_ticket: 120,
  summarise_ticket: 1_900,
  merge_tickets: 260,
};

function succeed({ tool, dice, arguments: { ticket_id } }: SimulatedRequest): ToolResult {
  if (tool === 'search_tickets') {
    const tickets = Array.from({ length: dice.between(1, 9) }, () => ({
      ticket_id: `tic-${dice.between(2_000, 9_000)}`,
      title: dice.pick(['Late delivery', 'Broken on arrival', 'Wrong invoice', 'How do I return it?']),
    }));
    return toResult({ tickets });
  }
  if (tool === 'get_ticket')
    return toResult({
      ticket_id,
      customer_id: `cus-${dice.between(100, 400)}`,
      order_id: `ord-${dice.hex(4)}`,
      messages: Array.from({ length: dice.between(1, 6) }, () => 'The lamp came without its shade.'),
    });
  return toResult({ ticket_id, changed: true });
}

/** Failures of ordinary days. */
function findFailure({ tool, dice, arguments: args }: SimulatedRequest): string | undefined {
  if (tool === 'add_comment' && dice.chance(0.02)) return 'HTTP_429: too many requests, try again in 30 s';
  if (tool === 'assign_ticket' && dice.chance(0.05))
    return `USER_NOT_FOUND: ${String(args['assignee'])} is no colleague`;
  return dice.chance(0.004) ? 'HTTP_502: the help desk answered with an error page' : undefined;
}

function answerTicket(request: SimulatedRequest): SimulatedAnswer {
  const { tool, dice, story, atMs } = request;
  const medianMs = MEDIAN_MS[tool];
  if (medianMs === undefined) return { result: refuseUnknown(tool), ownMs: 1, dependencies: [] };
  const isDown = atMs >= story.incident.fromMs && atMs < story.incident.toMs;
  const failed = isDown && dice.chance(0.7);
  const failure = failed ? 'HTTP_503: the help desk is unavailable' : findFailure(request);
  const durationMs = dice.spread(isDown ? medianMs * 6 : medianMs);
  const name = tool.startsWith('get') || tool.startsWith('search') ? 'GET' : 'POST';
  return {
    result: failure === undefined ? succeed(request) : toFailure(failure),
    ownMs: dice.spread(6),
    dependencies: [{ kind: 'http', name, target: SUPPORT_API, durationMs, ...(failed && { failed }) }],
  };
}

export const TICKETS: SimulatedServer = {
  name: TICKETS_NAME,
  transport: 'http',
  versionAt: ({ newToolsMs }, atMs) => (atMs >= newToolsMs ? NEW_TOOLS_VERSION : '1.8.3'),
  listTools: TICKET_TOOLS,
  answer: answerTicket,
};

function answerDocs({ tool, dice, arguments: { path } }: SimulatedRequest): SimulatedAnswer {
  const ownMs = dice.spread(tool === 'search_docs' ? 35 : 9);
  if (tool === 'read_page' && dice.chance(0.04))
    return { result: toFailure(`ENOENT: no such file, open '${String(path)}'`), ownMs, dependencies: [] };
  const pages = Array.from({ length: dice.between(1, 5) }, () => `/guide/page-${dice.between(1, 60)}.md`);
  const isSearch = tool === 'search_docs';
  const result = toResult(
    isSearch ? { pages } : { path, text: 'Read the manual first. '.repeat(dice.between(4, 12)) },
  );
  return { result, ownMs, dependencies: [] };
}

export const DOCS: SimulatedServer = {
  name: DOCS_NAME,
  transport: 'stdio',
  versionAt: () => '1.2.0',
  listTools: () => [
    defineTool({
      name: 'search_docs',
      description: 'Searches the handbook. Returns paths of pages.',
      required: { query: text('Words to look for.') },
    }),
    defineTool({
      name: 'read_page',
      description: 'Returns a page of the handbook as Markdown.',
      required: { path: text('From search_docs.') },
    }),
    defineTool({
      name: 'list_sections',
      description: 'Lists the sections of the handbook.',
      required: {},
    }),
  ],
  answer: answerDocs,
};
