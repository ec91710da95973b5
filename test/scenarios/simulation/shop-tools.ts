// The shop's tools, before and after the deploy. Version 1.10.0 declares the bound of `limit`, gives `cancel_order` a description,
// and renames the argument of `get_order`; everything else stays as it was.
import type { ToolDefinition } from '../../../src/core/model/catalogue.ts';

const READ_ONLY = { readOnlyHint: true, openWorldHint: false };

const searchOrders = (limit: object): ToolDefinition => ({
  name: 'search_orders',
  description:
    'Finds orders of the shop by customer or state. Use it when you do not know the number of the order; with a number, use get_order. Returns the newest orders first, and a `nextCursor` when there are more.',
  inputSchema: {
    type: 'object',
    properties: {
      customer: { type: 'string', description: 'Only orders of this customer' },
      state: { type: 'string', description: 'Only orders in this state' },
      limit: { type: 'integer', description: 'Most orders in one answer', ...limit },
    },
  },
  outputSchema: {
    type: 'object',
    properties: {
      orders: {
        type: 'array',
        items: {
          type: 'object',
          properties: {
            id: { type: 'string', description: 'Number of the order' },
            tracking_code: { type: 'string', description: 'Code under which its parcel travels' },
          },
        },
      },
    },
  },
  annotations: READ_ONLY,
});

const getOrder = (argument: 'id' | 'order_id'): ToolDefinition => ({
  name: 'get_order',
  description:
    'Reads one order with its lines and payments. Use it when you know the number, e.g. from search_orders. Returns the order, or the error NOT_FOUND.',
  inputSchema: {
    type: 'object',
    properties: { [argument]: { type: 'string', description: 'Number of the order, e.g. O-104233' } },
    required: [argument],
  },
  annotations: READ_ONLY,
});

const cancelOrder = (description: string): ToolDefinition => ({
  name: 'cancel_order',
  ...(description !== '' && { description }),
  inputSchema: {
    type: 'object',
    properties: { order_id: { type: 'string', description: 'Number of the order' } },
    required: ['order_id'],
  },
  annotations: { readOnlyHint: false, destructiveHint: true, idempotentHint: true },
});

const unchangedTools: readonly ToolDefinition[] = [
  {
    name: 'add_order_note',
    description:
      'Adds a note to an order that the staff can read. Not idempotent: each call adds another note, so look at get_order before you repeat it. Returns the note with its id.',
    inputSchema: {
      type: 'object',
      properties: {
        order_id: { type: 'string', description: 'Number of the order' },
        text: { type: 'string', minLength: 1, maxLength: 2000, description: 'The note, in plain text' },
      },
      required: ['order_id', 'text'],
    },
    annotations: { readOnlyHint: false, destructiveHint: false, idempotentHint: false },
  },
  {
    name: 'print_label',
    description:
      'Prints the label of a parcel in the warehouse. Use it after the order was packed, once for each parcel. Returns the number of the label.',
    inputSchema: {
      type: 'object',
      properties: { parcel: { type: 'string', description: 'Number of the parcel' } },
      required: ['parcel'],
    },
    annotations: { readOnlyHint: false, destructiveHint: false, idempotentHint: true },
  },
  {
    name: 'set_stock_level',
    description:
      'Sets how many pieces of an article are in stock, whatever it was before. Use it after a count in the warehouse; sales change the stock by themselves. Returns the level before and after.',
    inputSchema: {
      type: 'object',
      properties: {
        article_id: { type: 'string', description: 'Number of the article' },
        pieces: { type: 'integer', minimum: 0, maximum: 1_000_000, description: 'Pieces in stock' },
      },
      required: ['article_id', 'pieces'],
    },
    annotations: { readOnlyHint: false, destructiveHint: true, idempotentHint: true },
  },
  {
    name: 'refund_payment',
    description:
      'Pays money back for one payment. Only after the customer asked for it; to stop an unpaid order use cancel_order instead. The same idempotency_key twice refunds once and returns the first refund.',
    inputSchema: {
      type: 'object',
      properties: {
        payment_id: { type: 'string', description: 'Payment to refund, from get_order' },
        idempotency_key: {
          type: 'string',
          description: 'One for each intent; repeat it when you repeat the call',
        },
      },
      required: ['payment_id', 'idempotency_key'],
    },
    annotations: { readOnlyHint: false, destructiveHint: true, idempotentHint: true, openWorldHint: true },
  },
];

export const SHOP_BEFORE: readonly ToolDefinition[] = [
  searchOrders({}),
  getOrder('id'),
  cancelOrder(''),
  ...unchangedTools,
];

export const SHOP_AFTER: readonly ToolDefinition[] = [
  searchOrders({ minimum: 1, maximum: 100 }),
  getOrder('order_id'),
  cancelOrder(
    'Cancels an order that was not shipped yet. Use refund_payment instead for one that was. Returns the order as it stands then.',
  ),
  ...unchangedTools,
];
