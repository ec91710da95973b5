// What agents do in the shop. Before the deploy they learn the bound of `limit` by failing; after it few still exceed it, and
// some that remember the old argument of `get_order` are refused once. Many take the number of an order from a search and its
// payment from the order; nobody takes the tracking code.
import type { SimulationRandom } from './random.ts';
import {
  errorResult,
  okResult,
  refusedResult,
  type SimulatedAgent,
  structuredResult,
} from './server-process.ts';

export const SHOP = 'shop';
const ORDER_STATES = ['open', 'paid', 'shipped', 'cancelled'] as const;
const LIMIT_TOO_LARGE = errorResult('LIMIT_TOO_LARGE: limit must be <= 100');
const MINUTE = 60_000;

const orderNumber = (random: SimulationRandom): string => `O-${random.between(100_000, 999_999)}`;
type OrderNumbers = readonly [string, string, string];

/** A page of three orders. */
function orders({ values }: SimulatedAgent) {
  const numbers: OrderNumbers = [orderNumber(values), orderNumber(values), orderNumber(values)];
  const page = numbers.map((id) => ({ id, tracking_code: `TRK-${values.hex(10)}` }));
  const offers = { 'orders[].id': numbers, 'orders[].tracking_code': [] };
  return { numbers, answer: structuredResult({ orders: page }, offers) };
}

interface ShopVisit {
  readonly isAfter: boolean;
  /** The printer works. */
  readonly isFixed: boolean;
  /** It still sends `id` to `get_order`, whatever the listing says. */
  readonly knowsOld: boolean;
}

/** One session of one agent. */
export function visitShop(
  agent: SimulatedAgent,
  random: SimulationRandom,
  { isAfter, isFixed, knowsOld }: ShopVisit,
): void {
  const searches = random.between(1, 3);
  let found = searchOrders(agent, random, isAfter);
  for (let n = 1; n < searches; n++) found = searchOrders(agent, random, isAfter);
  const invented = orderNumber(random);
  const number = agent.values.chance(0.6) ? agent.values.pick(found) : invented;
  const payment = readOrder(agent, { number, isAfter, knowsOld });
  if (random.chance(0.5)) writeNote(agent, random, number);
  if (random.chance(0.4)) countStock(agent, random);
  if (random.chance(0.3)) refundPayment(agent, random, payment);
  if (random.chance(0.3)) agent.call('cancel_order', { order_id: number }, okResult('Cancelled.'));
  printLabel(agent, random, isFixed);
}

/** @returns the numbers of the orders that were found */
function searchOrders(agent: SimulatedAgent, random: SimulationRandom, isAfter: boolean): OrderNumbers {
  const asked = { customer: `C-${random.between(1_000, 9_999)}`, state: random.pick(ORDER_STATES) };
  const tooMany = random.between(101, 500);
  if (!isAfter && random.chance(0.3)) {
    agent.call('search_orders', { ...asked, limit: tooMany }, LIMIT_TOO_LARGE, 'limit');
    if (random.chance(0.08))
      agent.call('search_orders', { ...asked, limit: tooMany }, LIMIT_TOO_LARGE, 'limit');
  }
  if (isAfter && random.chance(0.03)) {
    const why = 'Too big: expected number to be <=100 at limit';
    agent.call('search_orders', { ...asked, limit: tooMany }, refusedResult('search_orders', why), 'limit');
  }
  const { numbers, answer } = orders(agent);
  agent.call('search_orders', { ...asked, limit: random.between(1, 100) }, answer);
  return numbers;
}

interface OrderRead {
  readonly number: string;
  readonly isAfter: boolean;
  readonly knowsOld: boolean;
}

/** @returns the payment of the order */
function readOrder(agent: SimulatedAgent, { number, isAfter, knowsOld }: OrderRead): string {
  const payment = `P-${agent.values.between(10_000_000, 99_999_999)}`;
  const found = okResult(`Order ${number}: 3 lines, paid with ${payment}.`, [payment]);
  if (!isAfter) {
    agent.call('get_order', { id: number }, found);
    return payment;
  }
  if (knowsOld) {
    const why = 'Invalid input: expected string, received undefined at order_id';
    agent.call('get_order', { id: number }, refusedResult('get_order', why), 'renamed');
  }
  agent.call('get_order', { order_id: number }, found);
  return payment;
}

/** A write that is not idempotent; sometimes done twice, sometimes long after, sometimes again because the first one failed. */
function writeNote(agent: SimulatedAgent, random: SimulationRandom, number: string): void {
  const note = {
    order_id: number,
    text: `Customer called at ${random.between(8, 18)} about ${random.hex(6)}`,
  };
  const added = () => okResult(`Added note ${random.between(10_000, 99_999)}.`);
  if (random.chance(0.15)) {
    agent.call('add_order_note', note, errorResult('ORDER_LOCKED: try again in a moment'), 'locked');
  }
  agent.call('add_order_note', note, added());
  if (random.chance(0.35)) agent.call('add_order_note', note, added(), 'again');
  if (random.chance(0.15)) {
    agent.wait(5 * MINUTE);
    agent.call('add_order_note', note, added(), 'much later');
  }
}

/** Idempotent by its own word: a repeat changes nothing. */
function countStock(agent: SimulatedAgent, random: SimulationRandom): void {
  const counted = { article_id: `A-${random.between(100, 999)}`, pieces: random.between(0, 400) };
  const set = () => okResult(`Level ${counted.pieces}, before ${random.between(0, 400)}.`);
  agent.call('set_stock_level', counted, set());
  if (random.chance(0.5)) agent.call('set_stock_level', counted, set());
}

/** A costly write under a key: the repeat returns the first refund. */
function refundPayment(agent: SimulatedAgent, random: SimulationRandom, payment: string): void {
  const invented = `P-${random.between(1_000, 9_999)}`;
  const asked = {
    payment_id: agent.values.chance(0.6) ? payment : invented,
    idempotency_key: `K-${random.between(1, 1e9)}`,
  };
  const refunded = okResult(`Refund R-${random.between(1_000, 9_999)}.`);
  agent.call('refund_payment', asked, refunded);
  if (random.chance(0.5)) agent.call('refund_payment', asked, refunded);
}

/** Until its handler is mended it fails for every third, in prose; agents try again for nothing, or leave it. */
function printLabel(agent: SimulatedAgent, random: SimulationRandom, isFixed: boolean): void {
  const asked = { parcel: `X-${random.between(10_000, 99_999)}` };
  const broken = errorResult('The printer did not answer.');
  if (!isFixed && random.chance(0.35)) {
    agent.call('print_label', asked, broken, 'printer');
    if (random.chance(0.5)) agent.call('print_label', asked, broken, 'printer');
    return;
  }
  agent.call('print_label', asked, okResult(`Label ${random.between(1_000, 9_999)}.`));
}

/** One that was connected before the deploy, to a process that is still there: what it meets is the old definition. */
export function visitOldShop(agent: SimulatedAgent, random: SimulationRandom): void {
  for (let n = 0; n < 4; n++) {
    agent.call('get_order', { id: orderNumber(random) }, okResult('Order: 3 lines, paid.'), 'old');
    agent.wait(20 * MINUTE);
  }
  for (let n = 0; n < 3; n++) {
    const asked = { customer: `C-${random.between(1_000, 9_999)}`, state: random.pick(ORDER_STATES) };
    agent.call('search_orders', { ...asked, limit: 400 + n }, LIMIT_TOO_LARGE, 'old limit');
    agent.call('search_orders', { ...asked, limit: 50 + n }, orders(agent).answer, 'old');
  }
}
