// Which earlier selves are drawn. Beside a few lines all of them are; beside many, dashes would hide what they are compared
// with, so only one is: that of the line pointed at, or of the one with the most calls behind it.
import type { PreparedLine } from './prepared-chart.ts';

/** As many lines as can be named at their ends. */
const MAX_LINES_WITH_ALL_PREVIOUS = 4;

/**
 * Keys of the earlier selves to draw.
 *
 * @param highlightedKey the line that is pointed at
 */
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

/** Lines without a colour of their own stand for many and lead nothing. */
function findBusiestLine(lines: readonly PreparedLine[]): string | undefined {
  const countCalls = ({ points }: PreparedLine): number => points.reduce((sum, { n }) => sum + n, 0);
  const own = lines.filter(({ previousOf, slot }) => previousOf === undefined && slot > 0);
  return own.reduce<PreparedLine | undefined>(
    (best, line) => (best && countCalls(best) >= countCalls(line) ? best : line),
    undefined,
  )?.key;
}

/** What is dashed, in words; undefined where nothing is compared. */
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
    return `Nothing ${word} to compare with.`;
  return shown.size < previousLines.length
    ? `Dashed: ${first.label}. Point at another tool for its own.`
    : `Dashed: ${word}`;
}
