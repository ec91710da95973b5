// Which tools get a colour of their own, and which one. A tool has one colour in all charts of a page, so the slots go
// in turn to the most called, the most failing and the slowest; the rest are drawn together in the neutral colour.
// The service names a line after its tool alone while one server is in the answer, and `server/tool` otherwise, so
// both names have to find the same tool.
import type { ToolRow } from '../../../src/contract/responses.ts';

export const MAX_COLOURS = 8;
/** More lines than this cannot be named at their ends. */
const MAX_LABELLED_LINES = 4;

type ToolKeyFields = Pick<ToolRow, 'server' | 'tool'>;

export interface ColourSlots {
  /** Few enough tools that every line can be named at its end. */
  readonly canLabelLines: boolean;
  /** 1 to 8, or 0 for a tool without a colour. @param key a tool's key, or a line's name */
  slotOf(key: string): number;
  /** The tool's key for a line's name; the name itself when it is of no tool. */
  keyOf(name: string): string;
  /** What a person reads: the tool's name, with its server only where two servers have it. */
  labelOf(name: string): string;
}

/** Identifies a tool among those of all servers. */
export function toolKey({ server, tool }: ToolKeyFields): string {
  return `${server}/${tool}`;
}

/**
 * Picks at most eight tools and numbers them by name, so that a rank that changes with the next call changes no colour.
 */
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
