// What simulated agents do in a session: they search, read, act on what they found, and react to errors.

import type { Dice } from './dice.ts';
import { toProductId } from './shop-server.ts';
import type { ToolArguments, ToolResult } from './simulated-server.ts';

export interface TaskContext {
  readonly dice: Dice;
  /** Calls a tool and thinks about its answer. */
  call(tool: string, args: ToolArguments): ToolResult;
}

export type Task = (context: TaskContext) => void;

const QUERIES = [
  'oak chair',
  'lamp for a desk',
  'glass shelf',
  'linen',
  'steel table 120 cm',
  'gift',
] as const;

/** The ids of a list that a tool returned. */
function idsIn({ structuredContent = {} }: ToolResult, id: string): readonly string[] {
  const list = Object.values(structuredContent).find((value) => Array.isArray(value));
  return (list ?? []).flatMap((item: Record<string, unknown>) =>
    typeof item[id] === 'string' ? [item[id]] : [],
  );
}

const textIn = ({ structuredContent = {} }: ToolResult, name: string): string =>
  typeof structuredContent[name] === 'string' ? structuredContent[name] : '';

function browse({ dice, call }: TaskContext): string {
  let products: readonly string[] = [];
  for (let tries = dice.between(1, 3); tries > 0; tries -= 1) {
    products = idsIn(call('search_products', { query: dice.pick(QUERIES), limit: 10 }), 'product_id');
  }
  for (const product_id of products.slice(0, dice.between(1, 4))) call('get_product', { product_id });
  const product_id = products[0] ?? toProductId(1);
  if (dice.chance(0.6)) call('check_stock', { product_id });
  return product_id;
}

function order(context: TaskContext): void {
  const { dice, call } = context;
  const product_id = browse(context);
  const args = { customer_id: `cus-${dice.between(100, 400)}`, product_id };
  const sendsCurrency = dice.chance(0.45);
  let answer = call('create_order', sendsCurrency ? { ...args, currency: 'EUR' } : args);
  // Most agents read the error and send what is missing, some give up.
  if (answer.isError && dice.chance(0.65)) answer = call('create_order', { ...args, currency: 'EUR' });
  const order_id = textIn(answer, 'order_id');
  if (order_id !== '') call('get_order', { order_id });
}

function refund({ dice, call }: TaskContext): void {
  for (let orders = dice.between(1, 3); orders > 0; orders -= 1) {
    const order_id = `ord-${dice.hex(4)}`;
    if (call('get_order', { order_id }).isError) continue;
    const amount = dice.between(500, 54_000);
    if (call('refund_order', { order_id, amount }).isError)
      call('refund_order', { order_id, amount: amount - 9_000 });
  }
}

function triage({ dice, call }: TaskContext): void {
  const found = call('search_tickets', {
    query: dice.pick(['late', 'broken', 'invoice', 'return']),
    status: 'open',
  });
  for (const ticket_id of idsIn(found, 'ticket_id').slice(0, dice.between(1, 4))) {
    if (call('get_ticket', { ticket_id }).isError) continue;
    if (dice.chance(0.5)) call('add_comment', { ticket_id, body: 'Thank you, we look into it.' });
    else call('assign_ticket', { ticket_id, assignee: dice.pick(['Ada', 'Linus', 'Grace', 'Ken']) });
    if (dice.chance(0.2)) call(dice.pick(['summarise_ticket', 'merge_tickets']), { ticket_id });
  }
  // A name that no server lists.
  if (dice.chance(0.03)) call('find_ticket', { query: 'late' });
}

function readDocs({ dice, call }: TaskContext): void {
  for (let questions = dice.between(1, 4); questions > 0; questions -= 1) {
    call('search_docs', { query: dice.pick(['returns', 'shipping', 'invoices', 'warranty']) });
    for (let pages = dice.between(1, 3); pages > 0; pages -= 1)
      call('read_page', { path: `/guide/page-${dice.between(1, 60)}.md` });
  }
}

/** Tasks by the server that they need; the first ones most often. */
export const TASKS = {
  shop: [browse, order, order, order, refund],
  tickets: [triage],
  docs: [readDocs],
} as const satisfies Readonly<Record<string, readonly [Task, ...Task[]]>>;

/** Sessions that go in circles, as agents do now and then. */
export const LOOPING_TASKS = {
  shop: [searchAgain, refundAgain],
  tickets: [compareAgain],
  docs: [readAgain],
} as const satisfies Readonly<Record<string, readonly [Task, ...Task[]]>>;

function searchAgain({ dice, call }: TaskContext): void {
  for (let times = dice.between(9, 22); times > 0; times -= 1)
    call('search_products', { query: 'discontinued oak chair', limit: 10 });
}

function refundAgain({ dice, call }: TaskContext): void {
  const order_id = `ord-${dice.hex(4)}`;
  call('get_order', { order_id });
  for (let times = dice.between(12, 45); times > 0; times -= 1)
    call('refund_order', { order_id, amount: 90_000 });
}

function compareAgain({ dice, call }: TaskContext): void {
  const [first, second] = [`tic-${dice.between(2_000, 5_000)}`, `tic-${dice.between(5_001, 9_000)}`];
  for (let times = dice.between(8, 18); times > 0; times -= 1) {
    call('get_ticket', { ticket_id: first });
    call('get_ticket', { ticket_id: second });
  }
}

function readAgain({ dice, call }: TaskContext): void {
  const path = `/guide/page-${dice.between(1, 60)}.md`;
  for (let times = dice.between(8, 15); times > 0; times -= 1) call('read_page', { path });
}
