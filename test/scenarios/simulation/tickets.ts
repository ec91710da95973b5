// The ticket desk: two tools that nobody can tell apart, one that nobody calls, one called once, and a name that agents
// invent. Nothing of it is mended.
import type { ToolDefinition } from '../../../src/core/model/catalogue.ts';
import type { SimulationRandom } from './random.ts';
import {
  errorResult,
  okResult,
  type SimulatedAgent,
  structuredResult,
  unknownToolResult,
} from './server-process.ts';

export const TICKETS = 'tickets';
const READ_ONLY = { readOnlyHint: true, openWorldHint: false };
const CHANGING = { readOnlyHint: false, destructiveHint: false, idempotentHint: true };
const words = (description: string) => ({ type: 'string', description });

const tool = (
  name: string,
  description: string,
  properties: Readonly<Record<string, object>>,
  annotations: object = CHANGING,
): ToolDefinition => ({
  name,
  description,
  inputSchema: { type: 'object', properties, required: Object.keys(properties).slice(0, 1) },
  annotations,
});

export const TICKET_TOOLS: readonly ToolDefinition[] = [
  tool(
    'find_ticket',
    'Finds a ticket of the desk by words of its subject. Returns the matching tickets with number, subject and owner.',
    { query: words('Words to look for') },
    READ_ONLY,
  ),
  tool(
    'search_tickets',
    'Searches tickets of the desk by words of their subject. Returns the matching tickets with number, subject and owner.',
    { query: words('Words to look for') },
    READ_ONLY,
  ),
  tool(
    'list_queues',
    'Lists the queues of the desk with their owners. Call it first to learn where a ticket belongs.',
    {},
    READ_ONLY,
  ),
  tool(
    'get_queue',
    'Reads one queue with its rules. Use it after list_queues; returns the rules as text.',
    { queue: words('Name of the queue, from list_queues') },
    READ_ONLY,
  ),
  tool(
    'update_ticket',
    'Changes owner or wording of a ticket. Use close_ticket instead to end it. Returns the ticket as it stands then.',
    {
      ticket_id: words('Number of the ticket'),
      owner: words('Who takes it'),
      due_on: { type: 'string', format: 'date', description: 'Day by which it has to be answered' },
    },
  ),
  tool(
    'close_ticket',
    'Closes a ticket with a reason that its sender can read. Use it only when it was answered. Returns the ticket.',
    {
      ticket_id: words('Number of the ticket'),
      resolution: words('What was done, in a sentence'),
    },
  ),
  tool(
    'merge_tickets',
    'Merges one ticket into another of the same sender. Do not use it for tickets of two senders. Returns the one that stays.',
    {
      from_ticket: words('Number of the ticket that goes'),
      into_ticket: words('Number of the ticket that stays'),
    },
  ),
  tool(
    'export_archive',
    'Exports the closed tickets of a year as a file. Use it for an audit only. Returns a link that is valid for an hour.',
    {
      year: { type: 'integer', minimum: 2015, maximum: 2100, description: 'Year of the tickets' },
    },
  ),
];

const ticketNumber = (random: SimulationRandom): string => `T-${random.between(100_000, 999_999)}`;

export function visitTickets(agent: SimulatedAgent, random: SimulationRandom): void {
  const found = findTicket(agent, random);
  const ticket_id = ticketNumber(random);
  if (random.chance(0.5)) {
    agent.call('list_queues', {}, structuredResult({ queues: [{}, {}] }));
    agent.call(
      'get_queue',
      { queue: `${random.pick(['mail', 'phone', 'returns'])} ${random.between(1, 60)}` },
      okResult('Rules: first come.'),
    );
  }
  for (let n = random.between(1, 3); n > 0; n--) {
    const invented = ticketNumber(random);
    const changed = agent.values.chance(0.5) ? agent.values.pick(found) : invented;
    agent.call(
      'update_ticket',
      { ticket_id: changed, owner: `agent ${random.between(1, 400)}` },
      okResult('Changed.'),
    );
  }
  if (random.chance(0.25))
    agent.call('close_issue', { ticket_id }, unknownToolResult('close_issue'), 'invented');
  if (random.chance(0.6)) {
    const like = agent.values.chance(0.4) ? `, as in ${agent.values.pick(found)}` : '';
    const resolution = `Sent part ${random.hex(5)}${like}`;
    agent.call('close_ticket', { ticket_id, resolution }, okResult('Closed.'));
  }
}

/** Looks in the one, finds nothing, and succeeds with the other. @returns the numbers of the tickets */
function findTicket(agent: SimulatedAgent, random: SimulationRandom): readonly [string, string] {
  const query = { query: `lamp ${random.hex(6)}` };
  const found = [ticketNumber(random), ticketNumber(random)] as const;
  const hits = okResult(`2 tickets: ${found.join(', ')}`, found);
  if (random.chance(0.4)) {
    agent.call('find_ticket', query, errorResult('NOT_FOUND: nothing has these words'), 'confused');
    agent.call('search_tickets', query, hits);
    return found;
  }
  agent.call(random.chance(0.5) ? 'find_ticket' : 'search_tickets', query, hits);
  return found;
}

/** Once in the fortnight. */
export function mergeTickets(agent: SimulatedAgent, random: SimulationRandom): void {
  agent.call(
    'merge_tickets',
    { from_ticket: ticketNumber(random), into_ticket: ticketNumber(random) },
    okResult('Merged.'),
    'once',
  );
}
