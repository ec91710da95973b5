// The depot: each visit follows a plan and says so. A few plans leave out a step, repeat one or are given up. The tool that they
// begin with has a newer version, which agents call from the ninth day on.
import type { ToolDefinition } from '../../../src/core/model/catalogue.ts';
import type { SimulationRandom } from './random.ts';
import { errorResult, okResult, type SimulatedAgent } from './server-process.ts';

export const DEPOT = 'depot';
/** Day from which agents call the newer version. */
export const MOVE_DAY = 8;
const READ_ONLY = { readOnlyHint: true, openWorldHint: false };
const CHANGING = { readOnlyHint: false, destructiveHint: false, idempotentHint: true };

const tool = (
  name: string,
  description: string,
  [argument, meaning]: readonly [string, string],
  annotations: object = CHANGING,
): ToolDefinition => ({
  name,
  description,
  inputSchema: {
    type: 'object',
    properties: { [argument]: { type: 'string', description: meaning } },
    required: [argument],
  },
  annotations,
});

export const DEPOT_TOOLS: readonly ToolDefinition[] = [
  tool(
    'find_stock',
    'Finds the shelf of an item by its number. Use find_stock_v2 instead for items in several halls. Returns the shelf.',
    ['item', 'Number of the item'],
    READ_ONLY,
  ),
  tool(
    'find_stock_v2',
    'Lists the shelves of all halls that hold an item. Use it before reserve_items. Returns hall and shelf of each.',
    ['item', 'Number of the item'],
    READ_ONLY,
  ),
  tool(
    'reserve_items',
    'Sets the items of an order aside for a day. Use it before weigh_parcel. Returns the number of the parcel, or the error NOT_FOUND.',
    ['order', 'Number of the order'],
  ),
  tool(
    'weigh_parcel',
    'Puts a parcel on the scales. Use it only after reserve_items. Returns the weight in grams.',
    ['parcel', 'Number of the parcel, from reserve_items'],
    READ_ONLY,
  ),
  tool(
    'print_slip',
    'Prints the slip that goes on a parcel. Use it last, when the parcel is closed. Returns the printer that has it.',
    ['parcel', 'Number of the parcel, from reserve_items'],
  ),
];

/** @param nth of all visits, from 0 */
export function visitDepot(
  agent: SimulatedAgent,
  random: SimulationRandom,
  { day, nth }: { readonly day: number; readonly nth: number },
): void {
  agent.startPlan(`shipment ${random.hex(6)}`);
  const item = { item: `I-${random.between(1_000, 9_999)}` };
  const find = day < MOVE_DAY ? 'find_stock' : 'find_stock_v2';
  const shelf = okResult(`Hall ${random.between(1, 9)}, shelf ${random.between(1, 400)}.`);
  agent.call(find, item, shelf);
  if (nth % 9 === 4) agent.call(find, item, shelf);
  const order = { order: `O-${random.between(10_000, 99_999)}` };
  if (nth % 14 === 11) {
    agent.call('reserve_items', order, errorResult('NOT_FOUND: no such order'), 'absent');
    return;
  }
  const parcel = `P-${random.between(1_000_000, 9_999_999)}`;
  agent.call('reserve_items', order, okResult(`Parcel ${parcel}.`, [parcel]));
  if (nth % 13 !== 12)
    agent.call('weigh_parcel', { parcel }, okResult(`${random.between(200, 9_000)} grams.`));
  agent.call('print_slip', { parcel }, okResult(`Printer ${random.between(1, 9)} has it.`));
}
