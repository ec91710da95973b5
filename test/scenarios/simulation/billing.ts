// Billing: a tool whose failures show the inside of the server, and an argument that is always the same. Beside it what looks
// like a fault of design and is none: names of invoices that differ in nothing but their digits, a few coded refusals, and a rate that is
// asked for elsewhere where it is not kept, as its description says.
import type { ToolDefinition } from '../../../src/core/model/catalogue.ts';
import type { SimulationRandom } from './random.ts';
import { errorResult, okResult, type SimulatedAgent } from './server-process.ts';

export const BILLING = 'billing';
const READ_ONLY = { readOnlyHint: true, openWorldHint: false };

export const BILLING_TOOLS: readonly ToolDefinition[] = [
  {
    name: 'render_invoice',
    description:
      'Renders an invoice as a letter. Use it when the customer asks for paper; otherwise get_balance is enough. Returns a link to the letter.',
    inputSchema: {
      type: 'object',
      properties: {
        invoice: { type: 'string', description: 'The invoice' },
        layout: { type: 'string', enum: ['plain', 'letter'], description: 'How it looks' },
      },
      required: ['invoice'],
    },
    annotations: READ_ONLY,
  },
  {
    name: 'quote_price',
    description:
      'Works out a price with its tax. Use it before an invoice is written, not after. Returns the amounts in cents.',
    inputSchema: {
      type: 'object',
      properties: {
        net_cents: { type: 'integer', minimum: 0, description: 'Price without tax' },
        currency: { type: 'string', minLength: 3, maxLength: 3, description: 'Currency of the price' },
      },
      required: ['net_cents', 'currency'],
    },
    annotations: READ_ONLY,
  },
  {
    name: 'get_balance',
    description:
      'Reads what a customer owes. Use it before a reminder is sent. Returns the sum in cents, or the error NOT_FOUND.',
    inputSchema: {
      type: 'object',
      properties: { customer: { type: 'string', description: 'Number of the customer' } },
      required: ['customer'],
    },
    annotations: READ_ONLY,
  },
  {
    name: 'read_rate',
    description:
      'Reads the tax rate of a region from those that are kept. If it is not kept, use fetch_rate. Returns the rate in percent.',
    inputSchema: {
      type: 'object',
      properties: { region: { type: 'string', description: 'Number of the region' } },
      required: ['region'],
    },
    annotations: READ_ONLY,
  },
  {
    name: 'fetch_rate',
    description:
      'Asks the tax office for the rate of a region and keeps it. Takes a while. Returns the rate in percent.',
    inputSchema: {
      type: 'object',
      properties: { region: { type: 'string', description: 'Number of the region' } },
      required: ['region'],
    },
    annotations: { readOnlyHint: false, destructiveHint: false, idempotentHint: true },
  },
];

const STACK_TRACE = errorResult(
  [
    "TypeError: Cannot read properties of undefined (reading 'total')",
    '    at renderLines (/srv/billing/dist/render.js:42:17)',
    '    at async renderInvoice (/srv/billing/dist/render.js:12:9)',
  ].join('\n'),
);

/** Looks among what is kept first: half of the regions are not, and are asked for. */
function lookUpRate(agent: SimulatedAgent, random: SimulationRandom): void {
  const asked = { region: `R-${random.between(1_000, 9_999)}` };
  const rate = okResult(`${random.between(5, 25)} percent.`);
  if (random.chance(0.5)) {
    agent.call('read_rate', asked, rate);
    return;
  }
  agent.call('read_rate', asked, errorResult('NOT_FOUND: this rate is not kept'), 'not kept');
  agent.call('fetch_rate', asked, rate);
}

export function visitBilling(agent: SimulatedAgent, random: SimulationRandom): void {
  lookUpRate(agent, random);
  for (let n = random.between(1, 2); n > 0; n--) {
    // Neither a round number nor a year: those are not recognised.
    const net_cents = 100 * random.between(22, 900) + 19;
    agent.call(
      'quote_price',
      { net_cents, currency: 'EUR' },
      okResult(`${Math.round(net_cents * 1.19)} cents.`),
    );
  }
  const customer = `C-${random.between(1_000, 9_999)}`;
  if (random.chance(0.06))
    agent.call('get_balance', { customer }, errorResult('NOT_FOUND: no such customer'), 'absent');
  agent.call(
    'get_balance',
    { customer: `C-${random.between(1_000, 9_999)}` },
    okResult(`${random.between(0, 9_000)} cents.`),
  );
  if (random.chance(0.8)) renderInvoice(agent, random);
}

/** A third fails: agents send it again, or another invoice, or give up there. */
function renderInvoice(agent: SimulatedAgent, random: SimulationRandom): void {
  const asked = { invoice: random.uuid(), layout: random.pick(['plain', 'letter']) };
  const link = () => okResult(`Letter ${random.between(1_000, 9_999)} is ready.`);
  if (random.chance(0.33)) {
    agent.call('render_invoice', asked, STACK_TRACE, 'trace');
    if (random.chance(0.4)) agent.call('render_invoice', asked, STACK_TRACE, 'trace');
    if (random.chance(0.4)) agent.call('render_invoice', { ...asked, invoice: random.uuid() }, link());
    return;
  }
  agent.call('render_invoice', asked, link());
}
