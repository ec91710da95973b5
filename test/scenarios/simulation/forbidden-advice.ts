// Advice that must not be given, though the traffic looks like it: each with what tells it apart.
import { BILLING } from './billing.ts';
import { SHOP } from './shop.ts';
import { TICKETS } from './tickets.ts';

export type ForbiddenAdvice = readonly [
  because: string,
  rule: string,
  server: string,
  tool: string,
  argument: string,
];

/** Neither before the deploy nor after it, in no state. */
export const NEVER_ADVISED: readonly ForbiddenAdvice[] = [
  ['invoices differ in nothing but what a mask hides', 'TD010', BILLING, 'render_invoice', 'invoice'],
  ['its messages show nothing of the inside', 'TD018', SHOP, 'print_label', ''],
  ['an enum is declared', 'TD009', BILLING, 'render_invoice', 'layout'],
  ['a text with a value of its own in every call', 'TD009', TICKETS, 'close_ticket', 'resolution'],
  ['a text with a value of its own in every call', 'TD010', TICKETS, 'close_ticket', 'resolution'],
  ['a repeat sets the same level', 'TD030', SHOP, 'set_stock_level', ''],
  ['a repeat under the same key returns the first refund', 'TD030', SHOP, 'refund_payment', ''],
  ['called one after the other, and both succeed', 'TD007', TICKETS, 'list_queues', ''],
  ['called one after the other, and both succeed', 'TD007', TICKETS, 'get_queue', ''],
  ['its description sends agents on to the other', 'TD007', BILLING, 'read_rate', ''],
  ['its error sends agents on to the other', 'TD017', BILLING, 'read_rate', ''],
  ['a name that is not listed is invented, not confused', 'TD007', TICKETS, 'close_issue', ''],
  ['traffic shows what the words only suggest', 'TD006', TICKETS, 'find_ticket', ''],
  ['it failed and was called again', 'TD007', SHOP, 'search_orders', ''],
  ['every error has a code of its own', 'TD016', SHOP, 'search_orders', ''],
  ['every error has a code of its own', 'TD016', BILLING, 'get_balance', ''],
  ['agents do the right thing after nine errors in ten', 'TD017', SHOP, 'search_orders', ''],
  ['its error says to try again, and trying again helps', 'TD017', SHOP, 'add_order_note', ''],
  ['its errors show nothing of the inside', 'TD018', SHOP, 'search_orders', ''],
  ['a prefix that says not found is an answer, with a code', 'TD018', TICKETS, 'find_ticket', ''],
  ['called once, which is not never', 'TD014', TICKETS, 'merge_tickets', 'into_ticket'],
  ['the name is not listed, so nothing can be outdated', 'TD032', TICKETS, 'close_issue', ''],
  ['its definition is the same in both versions', 'TD032', SHOP, 'add_order_note', ''],
  ['nobody still calls the old definition', 'TD032', SHOP, 'cancel_order', ''],
];

/** Not open after the deploy, though the range holds all that proved it before. */
export const RESOLVED: readonly ForbiddenAdvice[] = [
  ['the bound is declared now', 'TD012', SHOP, 'search_orders', 'limit'],
  ['it has a description now', 'TD003', SHOP, 'cancel_order', ''],
  ['its handler was mended, though its definition is the same', 'TD016', SHOP, 'print_label', ''],
  ['its handler was mended, though its definition is the same', 'TD017', SHOP, 'print_label', ''],
];
