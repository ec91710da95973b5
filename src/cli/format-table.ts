// Tables of text for a terminal: columns of equal width, two spaces apart.

import { toPrintableLine } from '../core/values/printable-text.ts';
import { joinLines } from './output.ts';

/** Characters of a cell; ids and messages may be longer, and --json has them whole. */
const MAX_CELL_LENGTH = 60;

/** @returns the rows below their header; cells are cut and made printable */
export function formatTable(header: readonly string[], rows: readonly (readonly string[])[]): string {
  const cells = [header, ...rows].map((row) => row.map(toCell));
  const widths = header.map((_, at) => Math.max(...cells.map((row) => row[at]?.length ?? 0)));
  return joinLines(
    cells.map((row) =>
      row
        .map((cell, at) => cell.padEnd(widths[at] ?? 0))
        .join('  ')
        .trimEnd(),
    ),
  );
}

function toCell(text: string): string {
  const line = toPrintableLine(text);
  return line.length > MAX_CELL_LENGTH ? `${line.slice(0, MAX_CELL_LENGTH - 1)}…` : line || '-';
}

/** An instant of the API to the second. */
export function formatSecond(iso: string): string {
  return `${iso.slice(0, 19).replace('T', ' ')}Z`;
}
