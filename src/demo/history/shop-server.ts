// A shop with a database. Its version 2.4.0 makes an argument of `create_order` required; 2.4.1 gives it a default.

import type { Dice } from './dice.ts';
import {
  defineTool,
  number,
  refuseMissing,
  refuseUnknown,
  type SimulatedAnswer,
  type SimulatedDependency,
  type SimulatedRequest,
  type SimulatedServer,
  type ToolResult,
  text,
  toFailure,
  toResult,
} from './simulated-server.ts';
import { SHOP_NAME } from './story.ts';

const CURRENCY_VERSION = '2.4.0';

const TOOLS = (version: string): readonly object[] => {
  const currency = { currency: text('ISO 4217 code of the currency to pay in.') };
  return [
    defineTool({
      name: 'search_products',
      description: 'Searches the catalogue by words. Returns up to `limit` products, best match first.',
      required: { query: text('Words of the name or description.') },
      optional: {
        limit: number('Most products to return; 10 by default.'),
        category: text('Only this category.'),
      },
    }),
    defineTool({
      name: 'get_product',
      description: 'Returns one product with its price, description and variants.',
      required: { product_id: text('From search_products.') },
    }),
    defineTool({
      name: 'check_stock',
      description: 'Returns how many of a product are in stock, by warehouse.',
      required: { product_id: text('From search_products.') },
    }),
    defineTool({
      name: 'create_order',
      description: 'Orders products for a customer. Returns the id of the order.',
      required: {
        customer_id: text('Who orders.'),
        product_id: text('What is ordered.'),
        ...(version === CURRENCY_VERSION && currency),
      },
      optional: { quantity: number('1 by default.'), ...(version !== CURRENCY_VERSION && currency) },
      readOnly: false,
    }),
    defineTool({
      name: 'get_order',
      description: 'Returns an order with its status and payments.',
      required: { order_id: text('From create_order.') },
    }),
    defineTool({
      name: 'refund_order',
      description: 'Refunds a part of an order, at most what was paid.',
      required: { order_id: text('The order to refund.'), amount: number('In cents.') },
      readOnly: false,
    }),
    defineTool({
      name: 'compare_prices',
      description: 'Compares the price of a product with other shops.',
      required: { product_id: text('From search_products.') },
    }),
    defineTool({
      name: 'export_catalogue',
      description: 'Exports all products as CSV. Takes several minutes.',
      required: { format: { type: 'string', enum: ['csv', 'ndjson'] } },
    }),
  ];
};

/** @returns the id of a product that there is */
export const toProductId = (at: number): string => `prd-${String(1_000 + at)}`;

type Handler = (request: SimulatedRequest) => ToolResult;

const toProduct = (dice: Dice) => ({
  product_id: toProductId(dice.between(0, 180)),
  name: `${dice.pick(['Oak', 'Steel', 'Linen', 'Glass'])} ${dice.pick(['lamp', 'chair', 'table', 'shelf'])}`,
  price: dice.between(900, 60_000),
});

const HANDLERS: Readonly<Record<string, Handler>> = {
  search_products: ({ dice, arguments: { query } }) => {
    const found = String(query).startsWith('discontinued') ? 0 : dice.between(1, 8);
    return toResult({ products: Array.from({ length: found }, () => toProduct(dice)) });
  },
  get_product: ({ dice, arguments: { product_id } }) =>
    dice.chance(0.015)
      ? toFailure(`PRODUCT_NOT_FOUND: product ${String(product_id)} does not exist`)
      : toResult({
          ...toProduct(dice),
          product_id,
          description: 'Made to last. '.repeat(dice.between(2, 9)),
        }),
  check_stock: ({ dice, arguments: { product_id } }) =>
    dice.chance(0.01)
      ? toFailure('HTTP_504: the warehouse did not answer in time')
      : toResult({ product_id, berlin: dice.between(0, 40), lyon: dice.between(0, 40) }),
  create_order({ dice, story, atMs, arguments: args }) {
    const isStrict = SHOP.versionAt(story, atMs) === CURRENCY_VERSION;
    if (isStrict && args['currency'] === undefined) return refuseMissing('create_order', 'currency');
    if (dice.chance(0.02)) return toFailure('PAYMENT_DECLINED: the bank declined the payment');
    return toResult({ order_id: `ord-${dice.hex(4)}`, status: 'paid', amount: dice.between(900, 60_000) });
  },
  get_order: ({ dice, arguments: { order_id } }) =>
    dice.chance(0.025)
      ? toFailure(`ORDER_NOT_FOUND: order ${String(order_id)} does not exist`)
      : toResult({
          order_id,
          status: dice.pick(['paid', 'sent', 'delivered']),
          amount: dice.between(900, 60_000),
        }),
  refund_order: ({ arguments: { order_id, amount } }) =>
    Number(amount) > 50_000
      ? toFailure(`REFUND_TOO_LARGE: ${String(amount)} is more than was paid for ${String(order_id)}`)
      : toResult({ order_id, refunded: amount }),
};

const TABLES: Readonly<Record<string, readonly [table: string, medianMs: number]>> = {
  search_products: ['products', 380],
  get_product: ['products', 12],
  check_stock: ['stock', 45],
  create_order: ['orders', 70],
  get_order: ['orders', 16],
  refund_order: ['payments', 120],
};

function queryOf({ tool, dice, story, atMs }: SimulatedRequest): readonly SimulatedDependency[] {
  const [table, medianMs] = TABLES[tool] ?? [];
  if (table === undefined || medianMs === undefined) return [];
  const hasIndex = tool === 'search_products' && atMs >= story.helpingDeployMs;
  const durationMs = dice.spread(hasIndex ? medianMs * 0.45 : medianMs);
  const verb = tool === 'create_order' || tool === 'refund_order' ? 'INSERT' : 'SELECT';
  return [{ kind: 'db', name: `${verb} ${table}`, target: 'postgresql', durationMs }];
}

function answer(request: SimulatedRequest): SimulatedAnswer {
  const { tool, dice } = request;
  const result = HANDLERS[tool]?.(request) ?? refuseUnknown(tool);
  const wasRefused = result.isError === true && result.content[0]?.text.startsWith('MCP error') === true;
  return { result, ownMs: dice.spread(4), dependencies: wasRefused ? [] : queryOf(request) };
}

export const SHOP: SimulatedServer = {
  name: SHOP_NAME,
  transport: 'http',
  versionAt({ hurtingDeployMs, helpingDeployMs }, atMs) {
    if (atMs >= helpingDeployMs) return '2.4.1';
    return atMs >= hurtingDeployMs ? CURRENCY_VERSION : '2.3.2';
  },
  listTools: TOOLS,
  answer,
};
