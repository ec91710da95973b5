// Chooses which previous-period lines are drawn. With few lines, all are; with many, the dashes would hide
// the current lines, so only one is: that of the highlighted line, or of the line with the most calls.
import type { PreparedLine } from './prepared-chart.ts';

/** As many lines as can be labelled at their ends. */
const MAX_LINES_WITH_ALL_PREVIOUS = 4;

/** @param highlightedKey the line that is pointed at */
export function choosePreviousLines(
  lines: readonly PreparedLine[],
  highlightedKey?: string,
): ReadonlySet<string> {
  const previousLines = lines.filter(({ previousOf }) => previousOf !== undefined);
  if (lines.length - previousLines.length <= MAX_LINES_WITH_ALL_PREVIOUS)
    return new Set(previousLines.map(({ key }) => key));
  const of = previousLines.some(({ previousOf }) => previousOf === highlightedKey)
    ? highlightedKey
    : findBusiestLine(lines);
  return new Set(previousLines.filter(({ previousOf }) => previousOf === of).map(({ key }) => key));
}

/** Neutral lines combine several tools and are not candidates. */
function findBusiestLine(lines: readonly PreparedLine[]): string | undefined {
  const countCalls = ({ points }: PreparedLine): number => points.reduce((sum, { n }) => sum + n, 0);
  const own = lines.filter(({ previousOf, slot }) => previousOf === undefined && slot > 0);
  return own.reduce<PreparedLine | undefined>(
    (best, line) => (best && countCalls(best) >= countCalls(line) ? best : line),
    undefined,
  )?.key;
}

/** Describes the dashed lines; undefined without a comparison. */
export function describePreviousLines(
  lines: readonly PreparedLine[],
  highlightedKey?: string,
): string | undefined {
  const previousLines = lines.filter(({ previousOf }) => previousOf !== undefined);
  const shown = choosePreviousLines(lines, highlightedKey);
  const [first] = previousLines.filter(({ key }) => shown.has(key));
  if (!first) return undefined;
  const word = first.label.split(', ').at(-1) ?? '';
  if (previousLines.every(({ points }) => points.every(({ n }) => n === 0)))
    return `No prior data (${word}).`;
  return shown.size < previousLines.length
    ? `Dashed: ${first.label}. Hover another tool to compare.`
    : `Dashed: ${word}`;
}
