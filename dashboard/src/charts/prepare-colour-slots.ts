// Assigns colours to tools, the same in all charts of a page. Slots go in turn to the most called, the most
// failing and the slowest tool; the others are neutral. Series are named after the tool if the response has
// one server, otherwise `server/tool`; both names map to the tool.
import type { ToolRow } from '../../../src/contract/tools.ts';
import { toolKey } from '../view/tool-ref.ts';

export const MAX_COLOURS = 8;
/** The most lines that can be labelled at their ends. */
const MAX_LABELLED_LINES = 4;

export interface ColourSlots {
  /** Few enough tools to label every line at its end. */
  readonly canLabelLines: boolean;
  /**
   * From 1 to 8, or 0 for a tool without a colour.
   *
   * @param key a tool key or a series name
   */
  slotOf(key: string): number;
  /** The tool key of a series name; the name itself if no tool matches. */
  keyOf(name: string): string;
  /** The tool name, with its server only when two servers have a tool of that name. */
  labelOf(name: string): string;
}

/** Picks at most eight tools and numbers them by name, so that a change in rank does not change colours. */
export function prepareColourSlots(tools: readonly ToolRow[]): ColourSlots {
  const slots = new Map(
    chooseColouredTools(tools)
      .sort()
      .map((key, at) => [key, at + 1]),
  );
  const rowOf = (name: string): ToolRow | undefined =>
    tools.find((row) => toolKey(row) === name) ?? tools.find(({ tool }) => tool === name);
  const keyOf = (name: string): string => {
    const row = rowOf(name);
    return row ? toolKey(row) : name;
  };
  return {
    canLabelLines: tools.length <= MAX_LABELLED_LINES,
    keyOf,
    slotOf: (name) => slots.get(keyOf(name)) ?? 0,
    labelOf(name) {
      const row = rowOf(name);
      if (!row) return name;
      return tools.filter(({ tool }) => tool === row.tool).length > 1
        ? `${row.tool} · ${row.server}`
        : row.tool;
    },
  };
}

function chooseColouredTools(tools: readonly ToolRow[]): string[] {
  const orders = [
    rankTools(tools, (row) => row.calls),
    rankTools(tools, (row) => row.errors),
    rankTools(tools, (row) => row.p95Ms ?? 0),
  ];
  const interleaved = tools.flatMap((_, rank) => orders.flatMap((order) => order[rank] ?? []));
  return [...new Set(interleaved)].slice(0, MAX_COLOURS);
}

function rankTools(tools: readonly ToolRow[], weigh: (row: ToolRow) => number): string[] {
  return [...tools]
    .filter((row) => weigh(row) > 0)
    .sort((a, b) => weigh(b) - weigh(a) || toolKey(a).localeCompare(toolKey(b)))
    .map(toolKey);
}
